/** A snapshot of the transactions that were over, in the form of `pg_current_snapshot`: `xmin:xmax:in,progress`. */
export class TransactionSnapshot {
  private readonly xmin: bigint;
  private readonly xmax: bigint;
  private readonly open: ReadonlySet<string>;

  constructor(readonly text: string) {
    const [xmin = '', xmax = '', open = ''] = text.split(':');
    this.xmin = BigInt(xmin);
    this.xmax = BigInt(xmax);
    this.open = new Set(open.split(','));
  }

  /** Whether a text is a snapshot that PostgreSQL accepts. */
  static isWritten(text: string): boolean {
    const [, xmin, xmax, open] = /^(\d{1,18}):(\d{1,18}):((?:\d{1,18},)*\d{1,18}|)$/.exec(text) ?? [];
    if (xmin === undefined || BigInt(xmin) < 1n || BigInt(xmin) > BigInt(xmax!)) return false;
    const numbers = open === '' ? [] : open!.split(',').map(BigInt);
    return numbers.every(
      (number, index) =>
        number >= BigInt(xmin) && number < BigInt(xmax!) && (index === 0 || number > numbers[index - 1]!),
    );
  }

  /** Whether a transaction was over, so that its rows were visible. */
  saw(xid: string): boolean {
    const number = BigInt(xid);
    return number < this.xmin || (number < this.xmax && !this.open.has(xid));
  }
}

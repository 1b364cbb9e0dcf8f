import type { PoolClient } from 'pg';
import { nilId } from '#entities/id.js';
import { type AttributeHistory, loadAttributes } from '#records/derive/attribute.js';
import type { Derivation, EarlierInputs } from '#records/derive/derivation.js';
import { comparePositions, Past, type Position } from '#records/derive/past.js';
import { computePending, contentToday, type NewRecord, sentContent } from '#records/new-record.js';
import type { ProductShape } from '#records/scope/product-shape.js';
import { type Rewritten, rewrittenOf } from '../log/rewrite.js';
import type { Line } from './newest.js';
import { type AloneSpan, type LineReader, type LineRow, positionOf } from './stored-line.js';

/** A line whose records are computed again. */
export interface WalkedLine extends Line {
  organizationId: string;
  shape: ProductShape & { derivation: Derivation & { earlier: EarlierInputs } };
  span: AloneSpan;
}

/** The records that are left out, from a stored one on, and the variables that have changed before it. */
export interface Rest {
  row: LineRow;
  names: Set<string>;
}

/** Number of records of the first page, and the most of one. */
const [firstPage, maxPage] = [16, 1000];

/**
 * Follows the records of a line in order, computes new ones, and computes those stored ones again that read something
 * new. The transaction holds the line's lock.
 */
export class Walk {
  readonly changes: Rewritten[] = [];
  /** The values of new records. */
  readonly added = new Past();
  /** The first record that has to be computed again and was left out: too many follow, or it is in blocks alone. */
  rest: Rest | undefined;
  private readonly earlier: EarlierInputs;
  private past = new Past();
  /** Inputs of which the next record does not know the newest: names of variables, and null for the record before. */
  private readonly stale = new Set<string | null>();
  private rows: LineRow[] = [];
  private attributes: AttributeHistory | undefined;
  /** The position before the next page; undefined after the last one. */
  private next: Position | undefined;
  private pageSize = firstPage;

  /** @param most maximum number of stored records to compute again */
  constructor(
    private readonly tx: PoolClient,
    private readonly line: WalkedLine,
    private readonly reader: LineReader,
    private readonly most: number,
  ) {
    this.earlier = line.shape.derivation.earlier;
  }

  /** Computes new records, which are in order, and the stored ones that read them. */
  async addRecords(records: readonly NewRecord[]): Promise<void> {
    for (let index = 0; index < records.length; ) {
      await this.begin(records[index]!);
      for (;;) {
        const record = records[index];
        const row = await this.peek();
        if (record !== undefined && (row === undefined || comparePositions(record, positionOf(row)) < 0)) {
          this.compute(record);
          index += 1;
        } else if (row === undefined || (this.stale.size === 0 && record === undefined)) return;
        // Beyond this page, a search is cheaper than following all records between.
        else if (this.stale.size === 0 && !this.isOnPage(record!)) break;
        else this.follow(row);
      }
    }
  }

  /** Computes stored records again: the first one, those up to `to`, and those after it that read what has changed. */
  async recompute({ from, to, names }: { from: number; to: number; names: readonly string[] }): Promise<void> {
    await this.begin({ ts: from, id: nilId });
    for (const name of names) if (this.earlier.names.includes(name)) this.stale.add(name);
    this.stale.add(null);
    for (;;) {
      const row = await this.peek();
      if (row === undefined || this.rest !== undefined || (this.stale.size === 0 && row.seconds > to)) return;
      if (row.seconds <= to) this.stale.add(null);
      this.follow(row, row.seconds <= to);
    }
  }

  /** Reads what was measured before a position, and begins to read the records after it. */
  private async begin(position: Position): Promise<void> {
    this.past = await this.reader.past(position);
    this.past.merge(this.added);
    this.stale.clear();
    this.rows = [];
    this.pageSize = firstPage;
    this.next = position;
  }

  private async peek(): Promise<LineRow | undefined> {
    const { tx, line, reader } = this;
    while (this.rows.length === 0 && this.next !== undefined) {
      const page = await reader.read({ after: this.next, limit: this.pageSize });
      this.rows = page.rows.toReversed();
      this.next = page.end;
      this.pageSize = Math.min(4 * this.pageSize, maxPage);
      const names = line.shape.derivation.attributes;
      this.attributes = await loadAttributes(
        tx,
        page.rows.map(({ deviceId, seconds }) => ({ deviceId, ts: seconds, names })),
      );
    }
    return this.rows.at(-1);
  }

  /** Whether a new record lies before the last stored one of the page. */
  private isOnPage(record: Position): boolean {
    const last = this.rows[0];
    return last !== undefined && comparePositions(record, positionOf(last)) < 0;
  }

  private compute(record: NewRecord): void {
    const { past, added, earlier, stale } = this;
    computePending(record, record.pending!, past);
    const measured = earlier.measured(record.pending!.content.data);
    past.add(record, measured);
    added.add(record, measured);
    if (earlier.readsElapsed) stale.add(null);
    for (const [name] of measured) {
      stale.add(name);
      this.rest?.names.add(name);
    }
  }

  /** Passes a stored record, and computes it again if it reads something new. */
  private follow(row: LineRow, staysStale = false): void {
    const { past, stale, earlier } = this;
    this.rows.pop();
    const measured = earlier.measured(sentContent(row).data);
    if (stale.size > 0 && this.rest === undefined) this.renew(row);
    past.add(positionOf(row), measured);
    if (staysStale) return;
    stale.delete(null);
    for (const [name] of measured) stale.delete(name);
    // Whoever continues computes the rest again.
    if (this.rest !== undefined) stale.clear();
  }

  private renew(row: LineRow): void {
    const { shape } = this.line;
    const { deviceId, seconds: ts } = row;
    // A record that was stored before the product had formulas has none until the product is recomputed.
    if (!row.isAlone && row.given?.computed === undefined) return;
    if (row.isAlone || this.changes.length >= this.most) {
      this.rest = { row, names: new Set([...this.stale].filter((name) => name !== null)) };
      return;
    }
    const attribute = this.attributes?.at(deviceId, ts);
    const today = contentToday(row, shape, { attribute, past: this.past, ts, keepsDecoded: true });
    const change = rewrittenOf(row, today, shape.slots);
    if (change !== undefined) this.changes.push(change);
  }
}

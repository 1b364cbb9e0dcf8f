import type { Log } from '#common/log.js';

/**
 * Maximum number of kinds of events that are counted separately. Further kinds within a minute are counted together.
 */
const maxKinds = 1000;

/** Logs the first of equal events at once, and the number of further ones every minute. */
export class RepeatedEvents {
  private readonly kinds = new Map<string, { fields: object; message: string; count: number }>();
  private timer: NodeJS.Timeout | undefined;

  /** @param every interval of the counts, in milliseconds */
  constructor(
    private readonly log: Pick<Log, 'info'>,
    private readonly every = 60_000,
  ) {}

  /** @param key equal for events that are logged as one */
  note(key: string, fields: object, message: string): void {
    const kind = this.kinds.get(key) ?? (this.kinds.size < maxKinds ? undefined : this.kinds.get(others));
    if (kind !== undefined) {
      kind.count++;
      kind.fields = fields;
      return;
    }
    this.kinds.set(this.kinds.size < maxKinds ? key : others, { fields, message, count: 0 });
    this.log.info(fields, message);
    this.timer ??= setTimeout(() => this.tell(), this.every).unref();
  }

  /** Logs the counts. */
  tell(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const { fields, message, count } of this.kinds.values())
      if (count > 0) this.log.info({ ...fields, count }, `${message} repeatedly`);
    this.kinds.clear();
  }
}

const others = '';

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import type { IdRange } from '#entities/id.js';
import { backOff } from '#scheduling/back-off.js';
import { mergeClose } from './id-range.js';

/** Subjects of the notices between processes. */
export type NoticeSubject = 'records' | 'deliveries';

/** A range of identifiers: of records, or of the deliveries of a hook (of any hook if none is named). */
export interface ChangeNotice extends IdRange {
  hook?: string;
}

/**
 * Sends notices between processes of what was committed. Notices are hints: the next full poll finds what a lost one
 * named.
 */
export interface Notifications {
  /** Begins to listen, and reconnects after every failure. */
  start(): void;
  /** Sends a notice of what was committed. It is quick, and does nothing if no process wants notices of the topic. */
  publish(topic: NoticeSubject, notices: () => readonly ChangeNotice[]): void;
  /** Sets whether this process wants notices of a topic. */
  want(topic: NoticeSubject, wanted: boolean): void;
  close(): Promise<void>;
}

/** Settings of the notices. Durations are in milliseconds. */
export interface NotificationsOptions {
  connectionString: string;
  /** Client class for that connection; by default pg's own. */
  Client?: typeof pg.Client;
  log: Logger;
  /** Called with what was committed here or in another process. Undefined means that it is not known what. */
  onNotice(topic: NoticeSubject, notices: readonly ChangeNotice[] | undefined): void;
}

const channel = 'ddp_live';
/** Minimum time between two notices of a process. */
const spacing = 20;
/** Interval at which a process repeats that it wants notices. Other processes remember it for `heartbeatTimeout`. */
const heartbeat = 2000;
const heartbeatTimeout = 7000;
/**
 * Maximum number of ranges of a notice: PostgreSQL accepts payloads up to 8000 bytes, and a range takes less than 130.
 */
const maxRanges = 50;

interface Message {
  from: string;
  want?: NoticeSubject[];
  records?: ChangeNotice[] | 'many';
  deliveries?: ChangeNotice[] | 'many';
}

const topics: readonly NoticeSubject[] = ['records', 'deliveries'];

/**
 * Creates notices over LISTEN and NOTIFY, on a separate connection.
 *
 * A notice is sent after the commit that it names, never in its transaction, because all commits that notify wait for
 * one lock of the database. Commits within 20 ms share a notice. Nothing is sent while no process has subscribers:
 * processes that have some say so every two seconds. A process that has not yet heard this sends nothing, and the next
 * full poll publishes its rows up to a second later.
 */
export const createNotifications = (options: NotificationsOptions): Notifications => new ListenNotify(options);

class ListenNotify implements Notifications {
  private readonly me = randomUUID();
  private readonly wants = new Set<NoticeSubject>();
  /** Time until which other processes want notices of a topic. */
  private readonly wantedUntil: Record<NoticeSubject, number> = { records: 0, deliveries: 0 };
  private unsent: Partial<Record<NoticeSubject, ChangeNotice[] | 'many'>> = {};
  private client: pg.Client | undefined;
  private closed = false;
  private failures = 0;
  private retry: NodeJS.Timeout | undefined;
  private beat: NodeJS.Timeout | undefined;
  private sending: NodeJS.Timeout | undefined;
  private sentAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: NotificationsOptions) {}

  start(): void {
    void this.connect();
  }

  publish(topic: NoticeSubject, notices: () => readonly ChangeNotice[]): void {
    const elsewhere = this.wantedUntil[topic] > performance.now();
    if (!elsewhere && !this.wants.has(topic)) return;
    const some = notices();
    if (some.length === 0) return;
    if (this.wants.has(topic)) this.options.onNotice(topic, some);
    if (!elsewhere || this.client === undefined) return;
    this.unsent[topic] = mergeNotices(this.unsent[topic] ?? [], some);
    this.sending ??= setTimeout(() => void this.send(), Math.max(0, this.sentAt + spacing - performance.now()));
  }

  want(topic: NoticeSubject, wanted: boolean): void {
    if (this.wants.has(topic) === wanted) return;
    if (wanted) this.wants.add(topic);
    else this.wants.delete(topic);
    if (wanted) void this.sayWants();
    if (this.wants.size > 0) this.beat ??= setInterval(() => void this.sayWants(), heartbeat);
    else {
      clearInterval(this.beat);
      this.beat = undefined;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    clearTimeout(this.sending);
    clearInterval(this.beat);
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const { connectionString, log, onNotice } = this.options;
    const opening = new (this.options.Client ?? pg.Client)({
      connectionString,
      application_name: 'ddp listen',
      // A notice need not survive a crash, so no commit waits for the disk.
      options: '-c synchronous_commit=off',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    const lost = callOnce(() => this.reconnect(opening));
    opening.on('error', lost);
    opening.on('end', lost);
    opening.on('notification', ({ payload }) => payload !== undefined && this.receive(payload));
    try {
      await opening.connect();
      await opening.query(`listen ${channel}`);
    } catch {
      lost();
      return;
    }
    if (this.closed) return void opening.end().catch(() => undefined);
    if (this.failures > 0) log.info('Notices of other processes arrive again');
    this.failures = 0;
    this.client = opening;
    // Notices sent in the meantime are lost, so this requests a full poll.
    for (const topic of this.wants) onNotice(topic, undefined);
    await this.sayWants();
  }

  /** Drops a lost connection and reconnects later. */
  private reconnect(lost: pg.Client): void {
    if (this.client === lost) this.client = undefined;
    lost.end().catch(() => undefined);
    if (this.closed) return;
    if (this.failures === 0) this.options.log.warn('Notices of other processes do not arrive; polling every second');
    this.retry = setTimeout(() => void this.connect(), backOff(this.failures++));
  }

  private receive(payload: string): void {
    const message = JSON.parse(payload) as Message;
    if (message.from === this.me) return;
    for (const topic of message.want ?? []) this.wantedUntil[topic] = performance.now() + heartbeatTimeout;
    for (const topic of topics) {
      const notices = message[topic];
      if (notices !== undefined && this.wants.has(topic))
        this.options.onNotice(topic, notices === 'many' ? undefined : notices);
    }
  }

  private async sayWants(): Promise<void> {
    if (this.wants.size > 0) await this.notify({ want: [...this.wants] });
  }

  private async send(): Promise<void> {
    this.sending = undefined;
    this.sentAt = performance.now();
    const message = this.unsent;
    this.unsent = {};
    await this.notify(message);
  }

  private async notify(message: Omit<Message, 'from'>): Promise<void> {
    try {
      await this.client?.query(
        namedStatement('notify', sql`select pg_notify(${channel}, ${JSON.stringify({ from: this.me, ...message })})`),
      );
    } catch (error) {
      // The end of this connection opens another one.
      this.options.log.debug({ err: error }, 'Notice not sent');
    }
  }
}

/** Merges notices into as few ranges as possible. Returns `many` if too many remain. */
function mergeNotices(some: readonly ChangeNotice[] | 'many', more: readonly ChangeNotice[]): ChangeNotice[] | 'many' {
  if (some === 'many') return 'many';
  const byHook = Map.groupBy([...some, ...more], ({ hook }) => hook);
  const all = [...byHook].flatMap(([hook, ranges]) =>
    mergeClose(ranges).map((range): ChangeNotice => (hook === undefined ? range : { hook, ...range })),
  );
  return all.length > maxRanges ? 'many' : all;
}

const callOnce = (work: () => void) => {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
};

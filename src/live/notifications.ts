import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import { backOff } from '../back-off.js';
import { named } from '../named.js';
import { merge, type Range } from './range.js';

/** What processes tell each other about. */
export type Topic = 'records' | 'deliveries';

/** A range of identifiers: of records, or of the deliveries of a hook; of any hook where none is named. */
export interface Notice extends Range {
  hook?: string;
}

/** Notices between processes of what was committed. They are hints: what a lost one named is found by the next look. */
export interface Notifications {
  /** Begins to listen, and to try again wherever that fails. */
  start(): void;
  /** Sends a notice of what was committed. Quick; does nothing where no process wants to know. */
  tell(topic: Topic, notices: () => readonly Notice[]): void;
  /** Says whether this process wants notices of a topic from now on. */
  want(topic: Topic, wanted: boolean): void;
  close(): Promise<void>;
}

/** Settings of the notices. Durations in milliseconds. */
export interface NotificationsOptions {
  connectionString: string;
  log: Logger;
  /** Called with what was committed here or in another process; `undefined`: not known what. */
  onNotice(topic: Topic, notices: readonly Notice[] | undefined): void;
}

const channel = 'ddp_live';
/** A process sends at most one notice in this time. */
const spacing = 20;
/** A process that wants notices says so this often; others believe it for `heartbeatTimeout`. */
const heartbeat = 2000;
const heartbeatTimeout = 7000;
/** PostgreSQL takes 8000 bytes; a range is less than 130. */
const maxRanges = 50;

interface Message {
  from: string;
  want?: Topic[];
  records?: Notice[] | 'many';
  deliveries?: Notice[] | 'many';
}

const topics: readonly Topic[] = ['records', 'deliveries'];

/**
 * Notices over LISTEN and NOTIFY, on a connection of their own. A notice is sent after the commit that it names, never
 * in its transaction: all commits that notify wait for one lock of the database. Commits within 20 ms share a notice.
 * Nothing is sent where no process has subscribers: those that have some say so every two seconds. A process that has not
 * heard this yet sends nothing, and then subscribers are told a second later, by the next look.
 */
export function createNotifications({ connectionString, log, onNotice }: NotificationsOptions): Notifications {
  const me = randomUUID();
  const wants = new Set<Topic>();
  /** Until when other processes want notices of a topic. */
  const wantedUntil: Record<Topic, number> = { records: 0, deliveries: 0 };
  let untold: Partial<Record<Topic, Notice[] | 'many'>> = {};
  let client: pg.Client | undefined;
  let closed = false;
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let beat: NodeJS.Timeout | undefined;
  let sending: NodeJS.Timeout | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;

  const notify = async (message: Omit<Message, 'from'>): Promise<void> => {
    try {
      await client?.query(
        named('notify', sql`select pg_notify(${channel}, ${JSON.stringify({ from: me, ...message })})`),
      );
    } catch (error) {
      // When this connection ends, another is opened.
      log.debug({ err: error }, 'a notice was not sent');
    }
  };

  const receive = (payload: string) => {
    const message = JSON.parse(payload) as Message;
    if (message.from === me) return;
    for (const topic of message.want ?? []) wantedUntil[topic] = performance.now() + heartbeatTimeout;
    for (const topic of topics) {
      const notices = message[topic];
      if (notices !== undefined && wants.has(topic)) onNotice(topic, notices === 'many' ? undefined : notices);
    }
  };

  const connect = async (): Promise<void> => {
    const opening = new pg.Client({
      connectionString,
      application_name: 'ddp listen',
      // A notice need not survive a crash, so no commit waits for the disk.
      options: '-c synchronous_commit=off',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    const lost = callOnce(() => {
      if (client === opening) client = undefined;
      opening.end().catch(() => undefined);
      if (closed) return;
      if (failures === 0) log.warn('notices of other processes are not heard; looking every second');
      retry = setTimeout(() => void connect(), backOff(failures++));
    });
    opening.on('error', lost);
    opening.on('end', lost);
    opening.on('notification', ({ payload }) => payload !== undefined && receive(payload));
    try {
      await opening.connect();
      await opening.query(`listen ${channel}`);
    } catch {
      lost();
      return;
    }
    if (closed) return void opening.end().catch(() => undefined);
    if (failures > 0) log.info('notices of other processes are heard again');
    failures = 0;
    client = opening;
    // Notices that were sent meanwhile are lost, so look at everything.
    for (const topic of wants) onNotice(topic, undefined);
    await sayWants();
  };

  const sayWants = async () => {
    if (wants.size > 0) await notify({ want: [...wants] });
  };

  const send = async () => {
    sending = undefined;
    sentAt = performance.now();
    const message = untold;
    untold = {};
    await notify(message);
  };

  return {
    start: () => void connect(),
    tell(topic, notices) {
      const elsewhere = wantedUntil[topic] > performance.now();
      if (!elsewhere && !wants.has(topic)) return;
      const told = notices();
      if (told.length === 0) return;
      if (wants.has(topic)) onNotice(topic, told);
      if (!elsewhere || client === undefined) return;
      untold[topic] = mergeNotices(untold[topic] ?? [], told);
      sending ??= setTimeout(() => void send(), Math.max(0, sentAt + spacing - performance.now()));
    },
    want(topic, wanted) {
      if (wants.has(topic) === wanted) return;
      if (wanted) wants.add(topic);
      else wants.delete(topic);
      if (wanted) void sayWants();
      if (wants.size > 0) beat ??= setInterval(() => void sayWants(), heartbeat);
      else {
        clearInterval(beat);
        beat = undefined;
      }
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      clearTimeout(sending);
      clearInterval(beat);
      await client?.end().catch(() => undefined);
    },
  };
}

/** Merges notices into as few ranges as possible; `many` where there are still too many. */
function mergeNotices(some: readonly Notice[] | 'many', more: readonly Notice[]): Notice[] | 'many' {
  if (some === 'many') return 'many';
  const byHook = Map.groupBy([...some, ...more], ({ hook }) => hook);
  const all = [...byHook].flatMap(([hook, ranges]) =>
    merge(ranges).map((range): Notice => (hook === undefined ? range : { hook, ...range })),
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

import sql, { type Sql } from 'sql-template-tag';
import type { Log } from '#common/log.js';
import { type Actor, eventColumns, eventRecord, type NewEvent } from './event.js';

/** Writes events that an actor could cause without limit: refusals, and secrets that are shown again. */
export interface SparseEvents {
  /**
   * Writes events, each unless any process wrote one of the same actor, action and target within the last minute.
   * Returns once the events are stored, whichever call writes them.
   */
  note(...events: readonly NewEvent[]): Promise<void>;
}

/** Time after an event in which no further event with the same key is written, in milliseconds. */
const interval = 60_000;
/**
 * Maximum number of keys that a process remembers. Above it, the process forgets the keys that it noted longest ago.
 */
const maxRemembered = 10_000;

/**
 * Creates the writer of sparse events. Processes coordinate through the table `audit_noted`. Each process also
 * remembers the keys that it noted, so that a caller who is refused again and again costs no statement.
 * @param clock monotonic milliseconds
 */
export const createSparseEvents = (
  write: (statement: Sql) => Promise<unknown>,
  log: Log,
  clock: () => number = () => performance.now(),
): SparseEvents => {
  const noted = new Map<string, Noted>();
  const remember = (key: string, last: Noted) => {
    // Moves the key to the end of the map, which is ordered by the last event.
    noted.delete(key);
    noted.set(key, last);
    for (const [oldest] of noted) {
      if (noted.size <= maxRemembered) break;
      noted.delete(oldest);
    }
  };
  const writeAll = async (events: ReadonlyMap<string, NewEvent>) => {
    try {
      await write(insertOnce(events));
    } catch (error) {
      for (const key of events.keys()) noted.delete(key);
      // A refused caller is refused in any case. A secret is shown only if its event is written.
      if ([...events.values()].some(({ outcome }) => outcome !== 'refused')) throw error;
      log.warn({ err: error }, 'Refusal not written to the audit log');
    }
  };
  return {
    async note(...events) {
      const now = clock();
      const fresh = new Map<string, NewEvent>();
      const all: Promise<void>[] = [];
      for (const event of events) {
        const key = keyOf(event);
        const last = noted.get(key);
        if (last !== undefined && now - last.at < interval) all.push(last.written);
        else fresh.set(key, event);
      }
      if (fresh.size > 0) {
        const written = writeAll(fresh);
        for (const key of fresh.keys()) remember(key, { at: now, written });
        all.push(written);
      }
      await Promise.all(all);
    },
  };
};

/** The last event of a key. */
interface Noted {
  readonly at: number;
  /** Resolves when the event is stored. Another call that shows the same secret waits for it. */
  readonly written: Promise<void>;
}

/** Deletes keys that are too old to suppress an event. */
export const forgetNoted = sql`delete from audit_noted where at < now() - interval '1 minute'`;

/**
 * Returns the statement that writes events, each unless its key was noted within the last minute by the clock of
 * PostgreSQL. Every statement takes its keys in order, so that two processes cannot deadlock.
 */
const insertOnce = (events: ReadonlyMap<string, NewEvent>): Sql => {
  const rows = [...events].map(([key, event]) => ({ key, event: eventRecord(event) }));
  return sql`
  with sent as (select key, event from json_to_recordset(${JSON.stringify(rows)}::json) as s (key text, event json)),
  first as (
    insert into audit_noted (key, at) select key, now() from sent order by key
    on conflict (key) do update set at = excluded.at where audit_noted.at <= excluded.at - interval '1 minute'
    returning key)
  insert into audit_event (${eventColumns})
  select ${eventColumns} from sent join first using (key) cross join json_populate_record(null::audit_event, sent.event)`;
};

const keyOf = ({ organizationId, actor, action, target }: NewEvent): string =>
  `${idOf(actor, organizationId)} ${action} ${target?.id ?? ''}`;

/** Identifies an actor. People who are refused have no identifier: those of an organization count as one. */
const idOf = (actor: Actor, organizationId: string | null): string => {
  if ('id' in actor) return actor.id;
  return actor.kind === 'person' ? `person ${actor.userId ?? ''} ${organizationId ?? ''}` : actor.name;
};

import sql, { type Sql } from 'sql-template-tag';
import type { Log } from '#common/log.js';
import { type Actor, insertEvent, type NewEvent } from './event.js';

/** Writes events that an actor could cause without limit: refusals, and secrets that are shown again. */
export interface SparseEvents {
  /** Writes an event, unless any process wrote one of the same actor, action and target within the last minute. */
  note(event: NewEvent): Promise<void>;
}

/** Time for which one event stands for all of its kind, in milliseconds. */
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
  const noted = new Map<string, number>();
  return {
    async note(event) {
      const key = keyOf(event);
      const last = noted.get(key);
      if (last !== undefined && clock() - last < interval) return;
      // Moves the key to the end of the map, which is ordered by the last event.
      noted.delete(key);
      noted.set(key, clock());
      for (const [oldest] of noted) {
        if (noted.size <= maxRemembered) break;
        noted.delete(oldest);
      }
      try {
        await write(insertOnce(key, event));
      } catch (error) {
        noted.delete(key);
        // The caller is refused in any case. A secret is shown only if its event is written.
        if (event.outcome !== 'refused') throw error;
        log.warn({ err: error }, 'Refusal not written to the audit log');
      }
    },
  };
};

/** Deletes keys that are too old to suppress an event. */
export const forgetNoted = sql`delete from audit_noted where at < now() - interval '1 minute'`;

/** The statement that writes an event, unless its key was noted within the last minute by the clock of PostgreSQL. */
const insertOnce = (key: string, event: NewEvent): Sql => sql`
  with first as (
    insert into audit_noted (key, at) values (${key}, now())
    on conflict (key) do update set at = excluded.at where audit_noted.at <= excluded.at - interval '1 minute'
    returning key)
  ${insertEvent(event)} where exists (select from first)`;

const keyOf = ({ actor, action, target }: NewEvent): string => `${idOf(actor)} ${action} ${target?.id ?? ''}`;

const idOf = (actor: Actor): string => ('id' in actor ? actor.id : actor.name);

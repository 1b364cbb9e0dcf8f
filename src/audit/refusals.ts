import type { Sql } from 'sql-template-tag';
import type { Log } from '#common/log.js';
import { type Actor, insertEvent, type NewEvent } from './event.js';

/** Writes refusals to the audit log. It limits them, so that nobody can fill the log. */
export interface Refusals {
  /** Writes an event, unless there was one of the same actor and action in this minute. */
  note(event: NewEvent): Promise<void>;
}

/** Time for which one event stands for all refusals of an actor and an action, in milliseconds. */
const interval = 60_000;
/** Maximum number of pairs of actor and action that are remembered. The pair refused longest ago is dropped first. */
const maxRemembered = 10_000;

/**
 * Creates the writer of refusals of this process.
 * @param clock monotonic milliseconds
 */
export const createRefusals = (
  write: (statement: Sql) => Promise<unknown>,
  log: Log,
  clock: () => number = () => performance.now(),
): Refusals => {
  const noted = new Map<string, number>();
  return {
    async note(event) {
      const key = `${keyOf(event.actor)} ${event.action}`;
      const last = noted.get(key);
      if (last !== undefined && clock() - last < interval) return;
      // Moves the key to the end of the map, which is ordered by the last refusal.
      noted.delete(key);
      noted.set(key, clock());
      for (const [oldest] of noted) {
        if (noted.size <= maxRemembered) break;
        noted.delete(oldest);
      }
      // The caller gets the refusal even if it cannot be written to the log.
      await write(insertEvent(event)).catch((error: unknown) => {
        noted.delete(key);
        log.warn({ err: error }, 'Refusal not written to the audit log');
      });
    },
  };
};

const keyOf = (actor: Actor): string => ('id' in actor ? actor.id : actor.name);

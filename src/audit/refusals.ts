import type { Sql } from 'sql-template-tag';
import type { Log } from '#common/log.js';
import { type Actor, insertEvent, type NewEvent } from './event.js';

/** Writes refusals to the audit log, few enough that nobody can fill it with them. */
export interface Refusals {
  /** Writes an event, unless there was one of the same actor and action in this minute. */
  note(event: NewEvent): Promise<void>;
}

/** Time for which one event stands for all refusals of an actor and an action, in milliseconds. */
const interval = 60_000;
/** Actors and actions that are remembered. Beyond, those that were refused longest ago are forgotten. */
const maxRemembered = 10_000;

/**
 * Makes what notes refusals of a process.
 * @param clock milliseconds since any moment, which never goes back
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
      // At the end of the order of the map.
      noted.delete(key);
      noted.set(key, clock());
      for (const [oldest] of noted) {
        if (noted.size <= maxRemembered) break;
        noted.delete(oldest);
      }
      // A refusal stays one where it cannot be written down.
      await write(insertEvent(event)).catch((error: unknown) => {
        noted.delete(key);
        log.warn({ err: error }, 'Refusal not written to the audit log');
      });
    },
  };
};

const keyOf = (actor: Actor): string => ('id' in actor ? actor.id : actor.name);

import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { clockSkew, type Look, lookQuery } from '#database/visibility.js';
import { firstId } from '#entities/id.js';

/** Moves of records (table `index_move`): `build` from PostgreSQL to the cluster, `drain` back. */
type Move = 'build' | 'drain';

/**
 * Progress of a build. In `copy`, everything up to the identifier `after` is copied; in `tail`, everything that the
 * snapshot `seen` saw, and what it did not see has identifiers from `low` on. Records stored for the cluster since the
 * build began have identifiers after `from`.
 */
export type BuildState = (
  | { phase: 'copy'; after: string; done: number }
  | { phase: 'tail'; seen: string; low: string }
) & {
  from?: string | undefined;
};

/**
 * Progress of a drain. In `copy`, `after` is a position in the storing order of documents; in `tail`, it is an
 * identifier of the journal. `done` counts documents.
 */
export type DrainState =
  | { phase: 'copy'; from: string; after: number | null; done: number }
  | { phase: 'tail'; after: string; done: number };

/** Reads the progress of a move, or undefined without one. */
export const readMove = async <State extends BuildState | DrainState>(
  database: Queryable,
  name: Move,
): Promise<State | undefined> => {
  const { rows } = await database.query<{ state: State }>(sql`select state from index_move where name = ${name}`);
  return rows[0]?.state;
};

/** Begins a move. */
export const beginMove = async (database: Queryable, name: Move, state: BuildState | DrainState): Promise<void> => {
  await database.query(sql`
    insert into index_move (name, state) values (${name}, ${JSON.stringify(state)}::jsonb)
    on conflict (name) do update set state = excluded.state, changed_at = clock_timestamp()`);
};

/**
 * Stores the progress of a move. A move that has ended meanwhile stays ended: in a transaction with a fixed snapshot the
 * statement fails (40001), otherwise it changes nothing.
 */
export const updateMove = async (tx: PoolClient, name: Move, state: BuildState | DrainState): Promise<void> => {
  await tx.query(sql`
    update index_move set state = ${JSON.stringify(state)}::jsonb, changed_at = clock_timestamp() where name = ${name}`);
};

/** Ends a move. */
export const dropMove = async (database: Queryable, name: Move): Promise<void> => {
  await database.query(sql`delete from index_move where name = ${name}`);
};

/** Maximum time between making an identifier and sending its record to PostgreSQL, in milliseconds. */
const longestPreparation = 60_000;

/** The current snapshot, and an identifier (`below`): no record with a smaller one can still be committed. */
export interface Settled {
  seen: string;
  below: string;
}

/** Reads the current snapshot. In a transaction with a fixed snapshot, `seen` is that snapshot. */
export const lookSettled = async (database: Queryable): Promise<Settled> => {
  // A pool leaves its callback on the query object, so a shared object must not be used twice.
  const { rows } = await database.query<Look>(sql`${lookQuery}`);
  const { seen, now, oldest } = rows[0]!;
  return { seen, below: firstId(Math.min(now, oldest ?? now) - longestPreparation - clockSkew) };
};

/** Takes the lock of a move for one process. Returns false if another process holds it. */
export const lockMove = async (tx: PoolClient, name: Move): Promise<boolean> => {
  const { rows } = await tx.query<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${`move ${name}`}, 0)) as locked`,
  );
  return rows[0]!.locked;
};

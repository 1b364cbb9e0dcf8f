import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { firstId } from '../../../entities/id.js';
import { clockSkew, type Look, lookQuery } from '../../../visibility.js';

type Database = Pick<Pool | PoolClient, 'query'>;

/** Moves of records (table `index_move`): from PostgreSQL to the cluster, and back. */
type Move = 'build' | 'drain';

/**
 * How far a build is. `copy`: all up to an identifier is copied; `tail`: all that a snapshot saw. What it
 * did not see has identifiers from `low` on. What was stored for the cluster since the build began has identifiers after `from`.
 */
export type BuildState = (
  | { phase: 'copy'; after: string; done: number }
  | { phase: 'tail'; seen: string; low: string }
) & {
  from?: string | undefined;
};

/**
 * How far a drain is. `copy`: documents up to this place in the storing order; `tail`: journal rows up to an identifier.
 * `done` counts documents.
 */
export type DrainState =
  | { phase: 'copy'; from: string; after: number | null; done: number }
  | { phase: 'tail'; after: string; done: number };

/** Reads how far a move is; undefined where there is none. */
export const readMove = async <State extends BuildState | DrainState>(
  database: Database,
  name: Move,
): Promise<State | undefined> => {
  const { rows } = await database.query<{ state: State }>(sql`select state from index_move where name = ${name}`);
  return rows[0]?.state;
};

/** Notes how far a move is. */
export const writeMove = async (database: Database, name: Move, state: BuildState | DrainState): Promise<void> => {
  await database.query(sql`
    insert into index_move (name, state) values (${name}, ${JSON.stringify(state)}::jsonb)
    on conflict (name) do update set state = excluded.state, changed_at = clock_timestamp()`);
};

/** Ends a move. */
export const dropMove = async (database: Database, name: Move): Promise<void> => {
  await database.query(sql`delete from index_move where name = ${name}`);
};

/** An identifier is made so long before its record is sent to PostgreSQL at most, in milliseconds. */
const longestPreparation = 60_000;

/** What PostgreSQL shows now, and the identifier below which no record is still to be committed. */
export interface Settled {
  seen: string;
  below: string;
}

/** Looks at the present. In a transaction that keeps its snapshot, `seen` is what it sees. */
export const lookSettled = async (database: Database): Promise<Settled> => {
  // A pool leaves its callback on the query that it is given: one that is shared is not asked twice.
  const { rows } = await database.query<Look>(sql`${lookQuery}`);
  const { seen, now, oldest } = rows[0]!;
  return { seen, below: firstId(Math.min(now, oldest ?? now) - longestPreparation - clockSkew) };
};

/** Lets one process at a time do a move; undefined where another is at it. */
export const lockMove = async (tx: PoolClient, name: Move): Promise<boolean> => {
  const { rows } = await tx.query<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${`move ${name}`}, 0)) as locked`,
  );
  return rows[0]!.locked;
};

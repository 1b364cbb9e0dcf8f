import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { earliestId, endId, nilId } from '../entities/id.js';
import type { PlainJson } from '../json.js';
import { isConflict } from '../transaction.js';

type Client = Pick<pg.ClientBase, 'query'>;

/** Deliveries that one step of a job makes due again. */
const stepSize = 2000;

/** Which deliveries of a hook are to be made again: stored in a range of Unix seconds (both included), ended so. */
export interface RedeliverInput {
  hookId: string;
  from: number | null;
  to: number | null;
  state: 'succeeded' | 'failed';
}

/** A job, as far as its steps need it. */
export interface HookJob {
  input: PlainJson;
  cursor: PlainJson;
}

/** What a step of a job did. */
export interface HookStep {
  /** The last thing that it looked at. */
  cursor: PlainJson;
  done: number;
  changed: number;
  total?: number;
  finished: boolean;
}

/** Sets a delivery due again, with a full round of attempts; a ping has one. What is under way is left alone. */
const dueAgain = (now: Date, maxAttempts: number): Sql => sql`
  state = 'pending', done = false, queued_at = ${now}, next_attempt_at = ${now}, updated_at = ${now},
  lane = (select d.device_id from hook h where h.id = d.hook_id and h.ordered),
  max_attempts = d.attempts_made + case when d.event = 'ping' then 1 else ${maxAttempts}::integer end`;

/** Makes one delivery again, or its next attempt at once where it still waits. */
export async function redeliverOne(
  client: Client,
  { hookId, id }: { hookId: string; id: string },
  { now, maxAttempts }: { now: number; maxAttempts: number },
): Promise<void> {
  const at = new Date(now);
  await againWhereMoved(async () => {
    await client.query(sql`
      update delivery_open d set next_attempt_at = ${at}, updated_at = ${at}
       where d.hook_id = ${hookId} and d.id = ${id}
         and not exists (select from delivery_lease l where l.hook_id = d.hook_id and l.id = d.id)`);
    await client.query(sql`
      update delivery d set ${dueAgain(at, maxAttempts)} where d.done and d.hook_id = ${hookId} and d.id = ${id}`);
  });
}

/** A row is looked up again so many times, at most. */
const lookups = 10;

/**
 * Does it again where it failed because others changed the same rows. A delivery that ends, or is made again, moves to
 * another partition; who waits for it then cannot follow it there as PostgreSQL follows other rows, and gets a
 * serialization failure (40001) in place.
 */
async function againWhereMoved(work: () => Promise<void>): Promise<void> {
  for (let number = 1; ; number++) {
    try {
      return await work();
    } catch (error) {
      if (number === lookups || !isConflict(error)) throw error;
    }
  }
}

/** Takes a step of making a range of deliveries again. A delivery that ends anew is not taken twice: the cursor has passed it. */
export async function redeliverStep(
  tx: Client,
  job: HookJob,
  { now, maxAttempts }: { now: number; maxAttempts: number },
): Promise<HookStep> {
  const input = job.input as unknown as RedeliverInput;
  const after = (job.cursor as string | null) ?? nilId;
  const wanted = sql`
    d.done and d.hook_id = ${input.hookId} and d.state = ${input.state} and d.event = 'record'
    and d.id >= ${earliestId(input.from ?? 0)} and d.id < ${endId(input.to ?? Number.POSITIVE_INFINITY)}`;
  const { rows } = await tx.query<{ id: string }>(sql`
    with chosen as materialized (
      -- Locked in one order by everyone, so that two jobs never wait for each other.
      select d.hook_id, d.id from delivery d where ${wanted} and d.id > ${after}
       order by d.id limit ${stepSize} for update of d
    )
    update delivery d set ${dueAgain(new Date(now), maxAttempts)}
      from chosen c where d.done and d.hook_id = c.hook_id and d.id = c.id
    returning d.id`);
  const total = job.cursor === null ? await count(tx, wanted, rows.length) : undefined;
  return {
    cursor: rows.reduce((last, { id }) => (id > last ? id : last), after),
    done: rows.length,
    changed: rows.length,
    ...(total !== undefined && { total }),
    finished: rows.length < stepSize,
  };
}

/** All that the job is about: what still is as wanted, and what its first step has changed already. */
async function count(tx: Client, wanted: Sql, changed: number): Promise<number> {
  const { rows } = await tx.query<{ total: number }>(
    sql`select count(*)::double precision total from delivery d where ${wanted}`,
  );
  return (rows[0]?.total ?? 0) + changed;
}

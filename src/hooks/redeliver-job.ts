import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { isConflict, transaction } from '#database/transaction.js';
import { earliestId, endId, nilId } from '#entities/id.js';
import type { PlainJson } from '#json/json.js';

/** Maximum number of deliveries that one step of a job makes due again. */
const stepSize = 2000;

/**
 * Selects the deliveries of a hook to make again: stored in a range of Unix seconds (both included) and ended in
 * `state`.
 */
export interface RedeliverInput {
  hookId: string;
  from: number | null;
  to: number | null;
  state: 'succeeded' | 'failed';
}

/** The fields of a job that its steps need. */
export interface HookJob {
  input: PlainJson;
  cursor: PlainJson;
}

/** Result of a step of a job. */
export interface HookStep {
  /** Position of the last delivery or record that the step read. */
  cursor: PlainJson;
  done: number;
  changed: number;
  total?: number;
  finished: boolean;
}

/**
 * SQL assignments that make a delivery due again, with a full schedule of attempts (one for a ping). The callers
 * exclude deliveries in flight.
 */
const dueAgain = (now: Date, maxAttempts: number): Sql => sql`
  state = 'pending', done = false, queued_at = ${now}, next_attempt_at = ${now}, updated_at = ${now},
  lane = (select d.device_id from hook h where h.id = d.hook_id and h.ordered),
  max_attempts = d.attempts_made + case when d.event = 'ping' then 1 else ${maxAttempts}::integer end`;

/**
 * Makes one delivery again. If it still waits, makes its next attempt due at once.
 * @param event statement that writes the audit event, in the same transaction
 */
export async function redeliverOne(
  pool: pg.Pool,
  { hookId, id, event }: { hookId: string; id: string; event?: Sql | undefined },
  { now, maxAttempts }: { now: number; maxAttempts: number },
): Promise<void> {
  const at = new Date(now);
  const again = async (tx: Queryable) => {
    await tx.query(sql`
      update delivery_open d set next_attempt_at = ${at}, updated_at = ${at}
       where d.hook_id = ${hookId} and d.id = ${id}
         and not exists (select from delivery_lease l where l.hook_id = d.hook_id and l.id = d.id)`);
    await tx.query(sql`
      update delivery d set ${dueAgain(at, maxAttempts)} where d.done and d.hook_id = ${hookId} and d.id = ${id}`);
    if (event !== undefined) await tx.query(event);
  };
  await againWhereMoved(() => transaction(pool, again));
}

/** Maximum number of attempts at work that conflicts with other transactions. */
const maxTries = 10;

/**
 * Repeats work that failed because concurrent transactions changed the same rows. A delivery that ends or is repeated
 * moves to another partition. PostgreSQL does not let a statement that waited for the row follow it there: the statement
 * fails with a serialization failure (40001).
 */
async function againWhereMoved(work: () => Promise<void>): Promise<void> {
  for (let number = 1; ; number++) {
    try {
      return await work();
    } catch (error) {
      if (number === maxTries || !isConflict(error)) throw error;
    }
  }
}

/**
 * Takes a step of a job that repeats the deliveries of a range. The cursor passes each delivery, so one that ends again
 * meanwhile is not repeated twice.
 */
export async function redeliverStep(
  tx: Queryable,
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

/** Counts all deliveries of the job: those that still match, plus those that its first step has already changed. */
async function count(tx: Queryable, wanted: Sql, changed: number): Promise<number> {
  const { rows } = await tx.query<{ total: number }>(
    sql`select count(*)::double precision total from delivery d where ${wanted}`,
  );
  return (rows[0]?.total ?? 0) + changed;
}

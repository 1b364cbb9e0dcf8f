import type { PoolClient } from 'pg';
import sql, { empty, type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { isId, newId } from '#entities/id.js';
import type { Job } from '#entities/job.js';
import type { PlainJson } from '#json/json.js';
import { clockTolerance } from '#scheduling/clock-tolerance.js';

const columns = sql`id, organization_id as "organizationId", kind, state, done::float8 as done, total::float8 as total, changed::float8 as changed, error,
  created_at as "createdAt", updated_at as "updatedAt"`;

/** Queue of a job. Jobs of one lane do not wait for jobs of the other. */
export type Lane = 'main' | 'apart';

/** A job to do. */
export interface NewJob {
  organizationId: string;
  kind: string;
  input: PlainJson;
  /** `main` unless given. */
  lane?: Lane;
}

/**
 * Inserts a job. With a transaction, the job exists if and only if the transaction commits.
 * @param event statement that writes the audit event of the request, atomically with the job
 */
export const insertJob = async (
  database: Queryable,
  { organizationId, kind, input, lane = 'main' }: NewJob,
  now: Date,
  event?: Sql,
): Promise<Job> => {
  const { rows } = await database.query<Job>(sql`
    ${event === undefined ? empty : sql`with event as (${event})`}
    insert into job (id, organization_id, kind, input, lane, created_at, updated_at)
    values (${newId()}, ${organizationId}, ${kind}, ${JSON.stringify(input)}::jsonb, ${lane}, ${now}, ${now}) returning ${columns}`);
  return rows[0]!;
};

/** Returns a job of an organization, or undefined. */
export const findJob = async (database: Queryable, organizationId: string, id: string): Promise<Job | undefined> => {
  if (!isId(id)) return undefined;
  const { rows } = await database.query<Job>(sql`
    select ${columns} from job where id = ${id} and organization_id = ${organizationId}`);
  return rows[0];
};

/** A job as workers see it. */
export interface OpenJob {
  id: string;
  organizationId: string;
  kind: string;
  input: PlainJson;
  cursor: PlainJson;
}

/** Result of a step, with the cursor of the next one. */
export interface JobStepResult {
  cursor: PlainJson;
  /** Numbers of items that this step processed and changed. */
  done: number;
  changed: number;
  /** Total number of items, if this step has counted them. */
  total?: number;
  finished: boolean;
  /** Lane of the next step, if it differs. */
  lane?: Lane;
}

/** A job that a worker has claimed. */
export interface ClaimedJob {
  id: string;
  organizationId: string;
  /** Identifier of the claim. A later claim of the job gets another. */
  claim: string;
  /** Number of claims since a step last finished or a live process released the job, this claim included. */
  attempts: number;
}

/**
 * Claims a job of a lane that no worker holds, with a lease. If a worker dies, its job is free when the lease ends.
 *
 * A lease that ends later than possible was written before the clock was stepped back, and counts as over. That is
 * safe: a live worker locks the row of its job for each step, so two workers never take the same step.
 *
 * Organizations take turns in the order of their identifiers: the claim takes the oldest job of the first organization
 * after `after`.
 */
export const claimJob = async (
  database: Queryable,
  { lane, after, now, until }: { lane: Lane; after: string; now: Date; until: Date },
): Promise<ClaimedJob | undefined> => {
  const beyondLease = new Date(until.getTime() + clockTolerance);
  const next = (beyond: Sql) => sql`
    select id from job
     where state in ('pending', 'running') and lane = ${lane} and (locked_until is null or locked_until <= ${now} or locked_until > ${beyondLease}) and ${beyond}
     order by organization_id, created_at limit 1 for update skip locked`;
  const { rows } = await database.query<ClaimedJob>(sql`
    with ahead as materialized (${next(sql`organization_id > ${after}`)}),
    -- Round to the first one again.
    around as materialized (${next(sql`organization_id <= ${after} and not exists (select from ahead)`)})
    update job set state = 'running', locked_until = ${until}, claim = ${newId()}, attempts = attempts + 1, updated_at = ${now}
     where id = (select id from ahead union all select id from around limit 1)
    returning id, organization_id as "organizationId", claim, attempts`);
  return rows[0];
};

const opened = sql`select id, organization_id as "organizationId", kind, input, cursor from job`;

/** Returns the job while the claim holds it. Returns undefined if the job is over or another worker holds it. */
export const readJob = async (
  database: Queryable,
  { id, claim }: Pick<ClaimedJob, 'id' | 'claim'>,
): Promise<OpenJob | undefined> => {
  const { rows } = await database.query<OpenJob>(sql`
    ${opened} where id = ${id} and state = 'running' and claim = ${claim}`);
  return rows[0];
};

/**
 * Reads the job like {@link readJob} and locks it until the end of the transaction, so that no two workers take the
 * same step.
 */
export const lockJob = async (
  tx: PoolClient,
  { id, claim }: Pick<ClaimedJob, 'id' | 'claim'>,
): Promise<OpenJob | undefined> => {
  const { rows } = await tx.query<OpenJob>(sql`
    ${opened} where id = ${id} and state = 'running' and claim = ${claim} for update`);
  return rows[0];
};

/**
 * Writes the result of a step in the transaction that took it, so that each step takes effect exactly once or not at
 * all.
 */
export const advanceJob = async (
  tx: PoolClient,
  id: string,
  step: JobStepResult,
  now: Date,
  until: Date,
): Promise<void> => {
  await tx.query(sql`
    update job set cursor = ${JSON.stringify(step.cursor)}::jsonb, done = done + ${step.done}, changed = changed + ${step.changed},
      total = coalesce(${step.total ?? null}, total), state = ${step.finished ? 'done' : 'running'}, updated_at = ${now},
      locked_until = ${step.finished ? null : until}, attempts = 1, lane = coalesce(${step.lane ?? null}, lane)
    where id = ${id}`);
};

type Held = Pick<ClaimedJob, 'id' | 'claim'>;

/** Fails a job that cannot continue. */
export const failJob = async (database: Queryable, { id, claim }: Held, error: string, now: Date): Promise<void> => {
  await database.query(sql`
    update job set state = 'failed', error = ${error}, locked_until = null, updated_at = ${now}
    where id = ${id} and state = 'running' and claim = ${claim}`);
};

/** Releases a job, so that any free worker continues it. */
export const releaseJob = async (database: Queryable, { id, claim }: Held): Promise<void> => {
  await database.query(sql`
    update job set locked_until = null, attempts = 0 where id = ${id} and state = 'running' and claim = ${claim}`);
};

/**
 * Notes that a step was interrupted although its process lives: the claim does not count as an attempt. The job waits
 * for the end of its lease.
 */
export const forgiveJob = async (database: Queryable, { id, claim }: Held): Promise<void> => {
  await database.query(sql`update job set attempts = 0 where id = ${id} and state = 'running' and claim = ${claim}`);
};

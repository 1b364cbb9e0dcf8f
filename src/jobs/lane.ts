import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { insertEvent } from '#audit/event.js';
import { ApiError } from '#common/errors.js';
import { isConflict, transaction } from '#database/transaction.js';
import { nilId } from '#entities/id.js';
import { createPollLoop, type PollLoop } from '#scheduling/poll-loop.js';
import {
  advanceJob,
  type ClaimedJob,
  claimJob,
  failJob,
  forgiveJob,
  type JobStepResult,
  type Lane,
  lockJob,
  type OpenJob,
  readJob,
  releaseJob,
} from './job-row.js';

/** Takes a step of a job, of about a second, in a transaction that also stores the job's progress. */
export type TakeStep = (tx: PoolClient, job: OpenJob) => Promise<JobStepResult>;

/**
 * Takes a step that works for seconds outside a transaction, and returns a function that writes the result in one.
 * Another process may repeat the step, which must then have the same effect.
 * @param signal aborted when the service stops
 */
export type TakeApart = (job: OpenJob, signal: AbortSignal) => Promise<(tx: PoolClient) => Promise<JobStepResult>>;

export interface LaneOptions {
  pool: Pool;
  clock: () => number;
  log: Logger;
  isConnectionLoss(error: unknown): boolean;
  /** Called when a job moved to another lane. */
  onMoved(): void;
}

/**
 * Interval of the polls for jobs of other processes, and duration of a lease, which is longer than a step takes.
 * Milliseconds.
 */
const pollInterval = 1000;
const leaseFor: Readonly<Record<Lane, number>> = { main: 60_000, apart: 120_000 };
/** Time that a job runs before another organization's job may run, in milliseconds. It runs at least one step. */
const turnTime = 1000;
/** Number of consecutive conflicts with other transactions after which a step fails its job. */
const maxConflicts = 20;
/** Maximum number of claims of one step. If the processes of all of them died, the next claim fails the job. */
const maxAttempts = 2;

/** Whether the job is a dry run, which changes nothing: the changes that it reports are those it would make. */
const isDryRun = ({ input }: OpenJob): boolean =>
  typeof input === 'object' && input !== null && !Array.isArray(input) && input['dryRun'] === true;

/** Returns the statement that writes the audit event of a step: the numbers of items that it processed and changed. */
const stepEvent = ({ id, organizationId, kind }: OpenJob, { done, changed }: JobStepResult) =>
  insertEvent({
    organizationId,
    actor: { kind: 'job', id, name: kind },
    action: kind,
    target: { kind: 'job', id, name: kind },
    changes: { done: [null, done], changed: [null, changed] },
  });

const endedTwice =
  'The process of this job ended twice in the same step, so the job is not tried again. Look for unusual data in what it processes, and request the job again.';

/** Creates the loop that runs the jobs of a lane, one after the other. */
export function createLane(lane: 'main', kinds: Readonly<Record<string, TakeStep>>, options: LaneOptions): PollLoop;
export function createLane(lane: 'apart', kinds: Readonly<Record<string, TakeApart>>, options: LaneOptions): PollLoop;
export function createLane(
  lane: Lane,
  kinds: Readonly<Record<string, TakeStep | TakeApart>>,
  { pool, clock, log, isConnectionLoss, onMoved }: LaneOptions,
): PollLoop {
  const stopping = new AbortController();
  const now = () => new Date(clock());
  const lease = () => new Date(clock() + leaseFor[lane]);
  /** Job whose step the loss of the database interrupted. */
  let interrupted: ClaimedJob | undefined;

  /** Takes a step. Returns undefined if the job is over or another worker holds it. */
  const takeStep = async (claimed: ClaimedJob): Promise<JobStepResult | undefined> => {
    const apart = lane === 'apart' ? await workApart(claimed) : undefined;
    if (lane === 'apart' && apart === undefined) return undefined;
    return transaction(pool, async (tx) => {
      const job = await lockJob(tx, claimed);
      if (!job) return undefined;
      const taken = await (apart ? apart(tx) : (kindOf(job) as TakeStep)(tx, job));
      await advanceJob(tx, claimed.id, taken, now(), lease());
      if (taken.changed > 0 && !isDryRun(job)) await tx.query(stepEvent(job, taken));
      return taken;
    });
  };

  const workApart = async (claimed: ClaimedJob) => {
    const job = await readJob(pool, claimed);
    return job && (kindOf(job) as TakeApart)(job, stopping.signal);
  };

  const kindOf = ({ kind }: OpenJob) => {
    const found = kinds[kind];
    if (!found) throw new Error(`There is no job of kind ${kind}.`);
    return found;
  };

  /** Takes steps of a job until its time slice ends. The next claim finds out whether steps remain. */
  const takeTurn = async (claimed: ClaimedJob): Promise<void> => {
    const end = performance.now() + turnTime;
    let isMoved = false;
    for (let conflicts = 0; ; ) {
      try {
        const step = await takeStep(claimed);
        if (step === undefined || step.finished) return;
        isMoved = (step.lane ?? lane) !== lane;
        if (isMoved) break;
        conflicts = 0;
      } catch (error) {
        if (stopping.signal.aborted && error === stopping.signal.reason) break;
        // Another transaction changed the same rows: PostgreSQL rolled this step back, and it runs again.
        if (!isConflict(error) || ++conflicts === maxConflicts) throw error;
      }
      if (stopping.signal.aborted || performance.now() >= end) break;
    }
    await releaseJob(pool, claimed);
    if (isMoved) onMoved();
  };

  const work = async (): Promise<void> => {
    if (interrupted) await forgiveJob(pool, interrupted);
    interrupted = undefined;
    for (let after = nilId; ; ) {
      const claimed = stopping.signal.aborted
        ? undefined
        : await claimJob(pool, { lane, after, now: now(), until: lease() });
      if (claimed === undefined) return;
      after = claimed.organizationId;
      try {
        if (claimed.attempts > maxAttempts) await failJob(pool, claimed, endedTwice, now());
        else await takeTurn(claimed);
      } catch (error) {
        if (isConnectionLoss(error)) {
          interrupted = claimed;
          throw error;
        }
        // The request itself is invalid; the job stores the reason.
        const ofCaller = error instanceof ApiError ? error.message : undefined;
        if (ofCaller === undefined) log.error({ err: error, job: claimed.id }, 'Job failed');
        else log.info({ job: claimed.id, reason: ofCaller }, 'Job refused');
        await failJob(pool, claimed, ofCaller ?? 'It failed; the log says why.', now());
      }
    }
  };

  const loop = createPollLoop({
    poll: work,
    interval: pollInterval,
    onFailure: (error) => log.warn({ err: error }, 'Interrupted jobs continue'),
  });
  return {
    ...loop,
    async close() {
      stopping.abort();
      await loop.close();
    },
  };
}

import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { nilId } from '../entities/id.js';
import { ApiError } from '../errors.js';
import { createPollLoop, type PollLoop } from '../poll-loop.js';
import { isConflict, transaction } from '../transaction.js';
import {
  advanceJob,
  type ClaimedJob,
  claimJob,
  failJob,
  forgiveJob,
  type Lane,
  lockJob,
  type OpenJob,
  readJob,
  releaseJob,
  type Step,
} from './job-row.js';

/** How a kind of job is done: in steps of about a second, each in a transaction of its own with its progress. */
export type TakeStep = (tx: PoolClient, job: OpenJob) => Promise<Step>;

/**
 * How a kind of job is done that works for seconds without a transaction: it gives what to write down at the end. A step may be
 * taken again by another process, and must then do the same.
 * @param signal aborted when the service stops
 */
export type TakeApart = (job: OpenJob, signal: AbortSignal) => Promise<(tx: PoolClient) => Promise<Step>>;

/** What the jobs of a lane are done with. */
export interface LaneOptions {
  pool: Pool;
  clock: () => number;
  log: Logger;
  isConnectionLoss(error: unknown): boolean;
  /** Called when a job went on to another lane. */
  onMoved(): void;
}

/** Time between two polls for jobs of other processes, and the length of a lease: longer than a step takes. Milliseconds. */
const pollInterval = 1000;
const leaseFor: Readonly<Record<Lane, number>> = { main: 60_000, apart: 120_000 };
/** Time for which a job runs before another organization's job gets its turn, in milliseconds; at least one step. */
const turnTime = 1000;
/** A step that conflicts with other transactions this many times in a row fails its job. */
const maxConflicts = 20;
/** Claims of one step whose processes may end; the next one fails the job instead. */
const maxAttempts = 2;

const endedTwice =
  'The process that did this work ended twice in the same step, so it is not tried again: look for what is unusual in what it works on, and ask for it anew.';

/** Makes the loop that does the jobs of a lane, one after the other. */
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
  /** A job whose step was interrupted by the loss of the database. */
  let interrupted: ClaimedJob | undefined;

  /** Takes a step; undefined where the job is over, or another's. */
  const takeStep = async (claimed: ClaimedJob): Promise<Step | undefined> => {
    const apart = lane === 'apart' ? await workApart(claimed) : undefined;
    if (lane === 'apart' && apart === undefined) return undefined;
    return transaction(pool, async (tx) => {
      const job = await lockJob(tx, claimed);
      if (!job) return undefined;
      const taken = await (apart ? apart(tx) : (kindOf(job) as TakeStep)(tx, job));
      await advanceJob(tx, claimed.id, taken, now(), lease());
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

  /** Takes steps of a job until its time is over; the next turn finds out whether steps remain. */
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
        // Another transaction changed the same rows: this step was rolled back, and runs again.
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
        // What the caller sent is wrong, and the job says so.
        const ofCaller = error instanceof ApiError ? error.message : undefined;
        if (ofCaller === undefined) log.error({ err: error, job: claimed.id }, 'a job failed');
        else log.info({ job: claimed.id, reason: ofCaller }, 'a job was refused');
        await failJob(pool, claimed, ofCaller ?? 'It failed; the log says why.', now());
      }
    }
  };

  const loop = createPollLoop({
    poll: work,
    interval: pollInterval,
    onFailure: (error) => log.warn({ err: error }, 'jobs were interrupted; they go on'),
  });
  return {
    ...loop,
    async close() {
      stopping.abort();
      await loop.close();
    },
  };
}

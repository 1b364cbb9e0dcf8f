import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { nilId } from '../entities/id.js';
import type { Job } from '../entities/job.js';
import { ApiError } from '../errors.js';
import type { PlainJson } from '../json.js';
import { createPollLoop } from '../poll-loop.js';
import { isConflict, transaction } from '../transaction.js';
import {
  advanceJob,
  claimJob,
  failJob,
  findJob,
  insertJob,
  lockJob,
  type OpenJob,
  releaseJob,
  type Step,
} from './job-row.js';

/** How a kind of job is done: in steps of about a second, each in a transaction of its own with its progress. */
export type TakeStep = (tx: PoolClient, job: OpenJob) => Promise<Step>;

/** What jobs are done with. */
export interface JobsOptions {
  pool: Pool;
  clock: () => number;
  log: Logger;
  kinds: Readonly<Record<string, TakeStep>>;
  /** Whether an error says that the database was lost, and nothing about the job. */
  isConnectionLoss(error: unknown): boolean;
}

/** Long work: requested by calls, done by whichever process claims it, and resumed where a process that died left off. */
export interface Jobs {
  ask(organizationId: string, kind: string, input: PlainJson): Promise<Job>;
  find(organizationId: string, id: string): Promise<Job | undefined>;
  /** Hints that a job was written down in a transaction of another's. */
  wake(): void;
  start(): void;
  /** Resolves when the step under way is done; the job goes on elsewhere, or after the next start. */
  close(): Promise<void>;
}

/** Time between two polls for jobs of other processes, and the length of a lease. Milliseconds. */
const pollInterval = 1000;
const leaseFor = 60_000;
/** Time for which a job runs before another organization's job gets its turn, in milliseconds; at least one step. */
const turnTime = 1000;
/** A step that conflicts with other transactions this many times in a row fails its job. */
const maxConflicts = 20;

/** Opens the jobs over a pool. */
export const createJobs = ({ pool, clock, log, kinds, isConnectionLoss }: JobsOptions): Jobs => {
  let closing = false;
  const lease = () => new Date(clock() + leaseFor);

  const takeStep = (id: string): Promise<boolean> =>
    transaction(pool, async (tx) => {
      const job = await lockJob(tx, id);
      if (!job) return false;
      const kind = kinds[job.kind];
      if (!kind) throw new Error(`There is no job of kind ${job.kind}.`);
      const step = await kind(tx, job);
      await advanceJob(tx, id, step, new Date(clock()), lease());
      return !step.finished;
    });

  /** Takes steps of a job until its time is over; the next turn finds out whether steps remain. */
  const takeTurn = async (id: string): Promise<void> => {
    const end = performance.now() + turnTime;
    for (let conflicts = 0; ; ) {
      try {
        if (!(await takeStep(id))) return;
        conflicts = 0;
      } catch (error) {
        // Another transaction changed the same rows: this step was rolled back, and runs again.
        if (!isConflict(error) || ++conflicts === maxConflicts) throw error;
      }
      if (closing || performance.now() >= end) break;
    }
    await releaseJob(pool, id);
  };

  const work = async (): Promise<void> => {
    for (let after = nilId; ; ) {
      const now = new Date(clock());
      const job = closing ? undefined : await claimJob(pool, { after, now, until: lease() });
      if (job === undefined) return;
      after = job.organizationId;
      try {
        await takeTurn(job.id);
      } catch (error) {
        if (isConnectionLoss(error)) throw error;
        log.error({ err: error, job: job.id }, 'a job failed');
        await failJob(
          pool,
          job.id,
          error instanceof ApiError ? error.message : 'It failed; the log says why.',
          new Date(clock()),
        );
      }
    }
  };

  const loop = createPollLoop({
    poll: work,
    interval: pollInterval,
    onFailure: (error) => log.warn({ err: error }, 'jobs were interrupted; they go on'),
  });

  return {
    async ask(organizationId, kind, input) {
      const job = await insertJob(pool, { organizationId, kind, input }, new Date(clock()));
      loop.wake();
      return job;
    },
    find: (organizationId, id) => findJob(pool, organizationId, id),
    wake: () => loop.wake(),
    start: loop.start,
    async close() {
      closing = true;
      await loop.close();
    },
  };
};

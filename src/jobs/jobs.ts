import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Job } from '../entities/job.js';
import type { PlainJson } from '../json.js';
import { findJob, insertJob } from './job-row.js';
import { createLane, type LaneOptions, type TakeApart, type TakeStep } from './lane.js';

/** What jobs are done with. */
export interface JobsOptions {
  pool: Pool;
  clock: () => number;
  log: Logger;
  kinds: Readonly<Record<string, TakeStep>>;
  /** Kinds of jobs that have steps in the lane `apart`. */
  apart?: Readonly<Record<string, TakeApart>>;
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

/** Opens the jobs over a pool. */
export const createJobs = ({ pool, clock, log, kinds, apart = {}, isConnectionLoss }: JobsOptions): Jobs => {
  const wake = () => {
    for (const lane of lanes) lane.wake();
  };
  const options: LaneOptions = { pool, clock, log, isConnectionLoss, onMoved: wake };
  const lanes = [createLane('main', kinds, options), createLane('apart', apart, options)];
  return {
    async ask(organizationId, kind, input) {
      const job = await insertJob(pool, { organizationId, kind, input }, new Date(clock()));
      wake();
      return job;
    },
    find: (organizationId, id) => findJob(pool, organizationId, id),
    wake,
    start() {
      for (const lane of lanes) lane.start();
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
};

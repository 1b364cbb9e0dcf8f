import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Sql } from 'sql-template-tag';
import type { Job } from '#entities/job.js';
import type { PlainJson } from '#json/json.js';
import { findJob, insertJob } from './job-row.js';
import { createLane, type LaneOptions, type TakeApart, type TakeStep } from './lane.js';

export interface JobsOptions {
  pool: Pool;
  clock: () => number;
  log: Logger;
  kinds: Readonly<Record<string, TakeStep>>;
  /** Steps of the kinds of jobs that use the lane `apart`. */
  apart?: Readonly<Record<string, TakeApart>>;
  /** Whether an error means the loss of the database connection, and nothing about the job. */
  isConnectionLoss(error: unknown): boolean;
}

/**
 * Long-running work that calls request. Any process can claim a job, and resumes it at the last finished step of a dead
 * process.
 */
export interface Jobs {
  /** @param event the statement that writes the event of the request, in the transaction of the job */
  ask(organizationId: string, kind: string, input: PlainJson, event?: Sql): Promise<Job>;
  find(organizationId: string, id: string): Promise<Job | undefined>;
  /** Hints that another transaction has inserted a job. */
  wake(): void;
  start(): void;
  /** Resolves when the current step is done. Another process continues the job, or this one after its next start. */
  close(): Promise<void>;
}

/** Creates the jobs over a pool. */
export const createJobs = ({ pool, clock, log, kinds, apart = {}, isConnectionLoss }: JobsOptions): Jobs => {
  const wake = () => {
    for (const lane of lanes) lane.wake();
  };
  const options: LaneOptions = { pool, clock, log, isConnectionLoss, onMoved: wake };
  const lanes = [createLane('main', kinds, options), createLane('apart', apart, options)];
  return {
    async ask(organizationId, kind, input, event) {
      const job = await insertJob(pool, { organizationId, kind, input }, new Date(clock()), event);
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

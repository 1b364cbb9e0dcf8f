import type { Logger } from 'pino';
import { createPollLoop } from './poll-loop.js';

/** A task that runs periodically. */
export interface PeriodicTask {
  /** Time between two runs, in milliseconds. */
  every: number;
  /** Whether the task runs at start too. By default its first run follows the first interval. */
  atStart?: boolean;
  run(): Promise<void>;
}

/** Tasks that run side by side. A task never overlaps itself. */
export interface PeriodicTasks {
  start(): void;
  /** Starts no further run. Resolves when the runs in progress are over. */
  close(): Promise<void>;
}

/**
 * Creates periodic tasks. A run that fails is logged with the name of its task, which runs again at the next interval.
 */
export function createPeriodicTasks(
  tasks: Readonly<Record<string, PeriodicTask>>,
  { log, failed }: { log: Logger; failed: string },
): PeriodicTasks {
  const loops = Object.entries(tasks).map(([name, { every, atStart, run }]) =>
    createPollLoop({
      poll: run,
      interval: every,
      delay: atStart ? 0 : every,
      retryAfter: () => every,
      onFailure: (error) => log.warn({ err: error, work: name }, failed),
    }),
  );
  return {
    start: () => loops.forEach((loop) => loop.start()),
    async close() {
      await Promise.all(loops.map((loop) => loop.close()));
    },
  };
}

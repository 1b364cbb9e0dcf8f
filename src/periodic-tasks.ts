import type { Logger } from 'pino';
import { createPollLoop } from './poll-loop.js';

/** Work that is done again and again. */
export interface PeriodicTask {
  /** Time between two runs, in milliseconds. */
  every: number;
  /** Whether the first run is at the start, rather than after the interval. */
  atStart?: boolean;
  run(): Promise<void>;
}

/** Tasks that run side by side, each one run at a time. */
export interface PeriodicTasks {
  start(): void;
  /** Starts no further run; resolves when those under way are over. */
  close(): Promise<void>;
}

/** Makes periodic tasks. A run that fails is logged with the name of its task; the next comes at its time. */
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

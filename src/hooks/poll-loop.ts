import type { Logger } from 'pino';

/** Time between two polls without a hint, in milliseconds. */
const poll = 500;
/** Least time between two polls, in milliseconds: hints that come sooner share one. */
const spacing = 10;
/** Longest back-off after a poll that failed, in milliseconds. */
const longestPause = 5000;

/** A poll loop: one poll at a time, soon after a hint, and at intervals without one. */
export interface PollLoop {
  start(): void;
  /** Hints that there is something to do; `urgent` where only an urgent poll looks for it. */
  wake(urgent?: boolean): void;
  /** Starts no further poll; resolves when the one under way is over. */
  close(): Promise<void>;
}

/** What a poll found: nothing, a little, or so much that the next poll should follow at once. */
export type Found = 'nothing' | 'little' | 'much' | 'more than fits';

/** Settings of a poll loop. */
export interface PollLoopOptions {
  /** One poll; answers what it found. A poll without a hint is urgent too. */
  turn(urgent: boolean): Promise<Found>;
  log: Logger;
}

/** A poll loop that survives every failure: while the database is away it retries with a back-off. */
export function createPollLoop({ turn, log }: PollLoopOptions): PollLoop {
  let closing = false;
  let wanted = false;
  let urgent = true;
  let ring: (() => void) | undefined;
  let running: Promise<void> | undefined;

  /** Resolves after so many milliseconds, or when `ring` is called. */
  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        ring = undefined;
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      ring = done;
    });

  const run = async () => {
    let failures = 0;
    let pollAt = 0;
    while (!closing) {
      const begun = performance.now();
      if (begun >= pollAt) {
        urgent = true;
        pollAt = begun + poll;
      }
      const asked = urgent;
      wanted = false;
      urgent = false;
      let found: Found;
      try {
        found = await turn(asked);
        if (failures > 0) log.info('deliveries are claimed again');
        failures = 0;
      } catch (error) {
        if (failures === 0) log.error({ err: error }, 'deliveries cannot be claimed; trying again');
        urgent ||= asked;
        failures++;
        await pause(Math.min(100 * 2 ** failures, longestPause));
        continue;
      }
      if (found === 'more than fits') continue;
      const took = performance.now() - begun;
      // Polls that find nothing take a quarter of the time at most. One slow poll (a process held up, a database away) does not count.
      const idle = Math.min(3 * took, poll);
      const rest = found === 'much' ? 0 : found === 'little' || took < spacing ? spacing - took : idle;
      if (rest > 0 && !closing && !urgent) await new Promise((resolve) => setTimeout(resolve, rest));
      if (!wanted && !closing) await pause(Math.max(0, pollAt - performance.now()));
    }
  };

  return {
    start() {
      running ??= run();
    },
    wake(urgently = false) {
      wanted = true;
      if (urgently) urgent = true;
      ring?.();
    },
    async close() {
      closing = true;
      ring?.();
      await running;
    },
  };
}

import type { Logger } from 'pino';

/** Without a hint, a turn is taken this often, in milliseconds. */
const poll = 500;
/** Hints that come closer together than this share a turn, in milliseconds. */
const spacing = 10;
/** After a turn that failed, the next waits up to this long, in milliseconds. */
const longestPause = 5000;

/** Takes turns: one at a time, soon after a hint, and now and then without one. */
export interface Turns {
  start(): void;
  /** Hints that there is something to do; `urgent` where it is something that only an urgent turn looks for. */
  wake(urgent?: boolean): void;
  /** Takes no further turn; resolves when the one being taken is over. */
  close(): Promise<void>;
}

/** What a turn found: nothing, a little, or so much that the next should not wait for company. */
export type Found = 'nothing' | 'little' | 'much' | 'more than fits';

/** Settings of turns. */
export interface TurnsOptions {
  /** Takes a turn, and answers what it found. Polled turns are urgent too. */
  turn(urgent: boolean): Promise<Found>;
  log: Logger;
}

/** Turns that outlive every failure: a database that is away is asked again until it is back. */
export function createTurns({ turn, log }: TurnsOptions): Turns {
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
      // Looking for nothing takes a quarter of the time; one look that took long (a process held up, a database away) is no measure.
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

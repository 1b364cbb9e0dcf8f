import { backOff } from './back-off.js';

/**
 * State of a poll loop:
 * - `stopped`: not started yet, or closed;
 * - `idle`: nobody needs polls; a hint makes the loop check again;
 * - `polling`: a poll is in progress; a hint is kept for the next one;
 * - `resting`: between two polls, so that hints in short succession share one; an urgent hint ends the rest;
 * - `waiting`: until a hint or the end of the interval;
 * - `backing off`: after a failed poll, for the first step of the back-off, regardless of hints;
 * - `retrying soon`: for the rest of the back-off, or until a hint, which shows that something works again.
 */
type State = 'stopped' | 'idle' | 'polling' | 'resting' | 'waiting' | 'backing off' | 'retrying soon';

/** Polls one at a time: soon after a hint, and at intervals without one. */
export interface PollLoop {
  start(): void;
  /** Hints that there is work. An urgent hint ends the rest between polls and asks for a full poll. */
  wake(urgent?: boolean): void;
  /** Starts no further poll. Resolves when the poll in progress is over. */
  close(): Promise<void>;
}

export interface PollLoopOptions<Result> {
  /**
   * Runs one poll. The poll is full when the interval is over, after a failure and after an urgent hint. Otherwise it
   * may be limited to what hints announce.
   */
  poll(full: boolean): Promise<Result>;
  /** Time between two full polls, in milliseconds. */
  interval: number;
  /** Time before the first poll, in milliseconds. */
  delay?: number;
  /** Minimum time from the end of a poll to the next, in milliseconds, given the poll's result and duration. */
  rest?(result: Result, took: number): number;
  /** Whether another poll is needed. */
  isNeeded?(): boolean;
  /** Returns the wait after a failure, in milliseconds, given the number of failures in a row before it. */
  retryAfter?(failures: number): number;
  /** Called with the reason of each failure, and the number of failures in a row before it. */
  onFailure(error: unknown, failures: number): void;
  /** Called when a poll succeeds after failures. */
  onRecovery?(): void;
}

/** Creates a poll loop. It survives every failure: while the database is unreachable, it retries with a back-off. */
export function createPollLoop<Result>(options: PollLoopOptions<Result>): PollLoop {
  const { poll, interval, delay = 0, rest = () => 0, isNeeded = () => true, retryAfter = backOff } = options;
  let state: State = 'stopped';
  let running: Promise<void> | undefined;
  let closing = false;
  let hinted = false;
  let urgent = false;
  let endPause: (() => void) | undefined;

  /** Waits in a state for a number of milliseconds, or until `endPause` is called. */
  const pause = (during: State, milliseconds: number): Promise<void> => {
    if (closing || milliseconds <= 0) return Promise.resolve();
    state = during;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        endPause = undefined;
        resolve();
      };
      const timer = milliseconds === Infinity ? undefined : setTimeout(end, milliseconds);
      endPause = end;
    });
  };

  const wait = async (during: State, milliseconds: number) => {
    if (!hinted) await pause(during, milliseconds);
  };

  const run = async () => {
    let failures = 0;
    let fullAt = 0;
    await wait('waiting', delay);
    while (!closing) {
      if (!isNeeded()) {
        fullAt = 0;
        await pause('idle', Infinity);
        continue;
      }
      const begun = performance.now();
      const full = urgent || begun >= fullAt;
      hinted = urgent = false;
      state = 'polling';
      try {
        const result = await poll(full);
        if (full) fullAt = begun + interval;
        if (failures > 0) options.onRecovery?.();
        failures = 0;
        const now = performance.now();
        if (!urgent) await pause('resting', rest(result, now - begun));
        await wait('waiting', fullAt - performance.now());
      } catch (error) {
        options.onFailure(error, failures);
        // The next poll is full, which includes what was hinted at.
        fullAt = 0;
        hinted = false;
        const [first, all] = [backOff(0), retryAfter(failures++)];
        await pause('backing off', Math.min(first, all));
        await wait('retrying soon', all - first);
      }
    }
    state = 'stopped';
  };

  return {
    start() {
      running ??= run();
    },
    wake(urgently = false) {
      hinted = true;
      if (urgently) urgent = true;
      const ends = state === 'idle' || state === 'waiting' || state === 'retrying soon';
      if (ends || (urgently && state === 'resting')) endPause?.();
    },
    async close() {
      closing = true;
      endPause?.();
      await running;
    },
  };
}

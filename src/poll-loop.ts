import { backOff } from './back-off.js';

/**
 * What a poll loop is doing:
 * - `stopped`: not started yet, or closed;
 * - `idle`: nobody needs it; a hint makes it look again whether somebody does;
 * - `polling`: a poll is under way; a hint is remembered for the next one;
 * - `resting`: between two polls, so that hints that come close together share one; an urgent hint ends it;
 * - `waiting`: until a hint or the end of the interval;
 * - `backing off`: after a poll that failed, for the first step of the back-off, whatever hints come;
 * - `retrying soon`: for the rest of the back-off, or until a hint, which says that something works again.
 */
type State = 'stopped' | 'idle' | 'polling' | 'resting' | 'waiting' | 'backing off' | 'retrying soon';

/** Polls one at a time: soon after a hint, and at intervals without one. */
export interface PollLoop {
  start(): void;
  /** Hints that there is something to do. An urgent hint waits for no rest, and asks for a full poll. */
  wake(urgent?: boolean): void;
  /** Starts no further poll; resolves when the one under way is over. */
  close(): Promise<void>;
}

/** Settings of a poll loop. */
export interface PollLoopOptions<Result> {
  /**
   * One poll. It is full when the interval is over, after a failure and after an urgent hint; else it may look only for
   * what hints tell of.
   */
  poll(full: boolean): Promise<Result>;
  /** Time between two full polls, in milliseconds. */
  interval: number;
  /** Time before the first poll, in milliseconds. */
  delay?: number;
  /** Least time from the end of a poll to the next, in milliseconds, given what it answered and how long it took. */
  rest?(result: Result, took: number): number;
  /** Whether anybody needs another poll. */
  isNeeded?(): boolean;
  /** How long to wait after a failure, in milliseconds; `failures` in a row went before it. */
  retryAfter?(failures: number): number;
  /** Called with the reason of each failure; `failures` in a row went before it. */
  onFailure(error: unknown, failures: number): void;
  /** Called when a poll succeeds after failures. */
  onRecovery?(): void;
}

/** Makes a poll loop. It survives every failure: while the database is away it retries with a back-off. */
export function createPollLoop<Result>(options: PollLoopOptions<Result>): PollLoop {
  const { poll, interval, delay = 0, rest = () => 0, isNeeded = () => true, retryAfter = backOff } = options;
  let state: State = 'stopped';
  let running: Promise<void> | undefined;
  let closing = false;
  let hinted = false;
  let urgent = false;
  let endPause: (() => void) | undefined;

  /** Waits in a state for so many milliseconds, or until `endPause` is called. */
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
        // The next poll looks at everything, which includes what was hinted at.
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

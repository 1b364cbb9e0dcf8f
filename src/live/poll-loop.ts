import type { Logger } from 'pino';

/** Least time between two polls, in milliseconds: hints that come sooner share one. */
const spacing = 20;
/** Time between two polls that look at everything, in milliseconds, with or without a hint. */
const poll = 1000;
/** Longest back-off after a poll that failed, in milliseconds. */
const longest = 5000;

/** A poll loop: one poll at a time, for as long as somebody needs it. */
export interface PollLoop {
  /** Hints that there is something to do; starts the loop where it does not run. */
  wake(): void;
  /** Starts no further poll; resolves when the one under way is over. */
  stop(): Promise<void>;
}

/** Settings of a poll loop. */
export interface PollLoopOptions {
  /** One poll: of what was hinted at, or, where `whole`, of everything. */
  round(whole: boolean): Promise<void>;
  /** Whether another poll is needed. */
  needed(): boolean;
  log: Logger;
}

/** A poll loop that survives every failure: while the database is away it retries with a back-off. */
export function createPollLoop({ round, needed, log }: PollLoopOptions): PollLoop {
  let stopped = false;
  let wanted = false;
  let active = false;
  let running = Promise.resolve();
  let ring: ((hint: boolean) => void) | undefined;

  /** Waits for so long, or until the loop is stopped, or, where `hints` is true, until a hint. */
  const pause = (milliseconds: number, hints: boolean) =>
    new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        ring = undefined;
        resolve();
      };
      const timer = setTimeout(finish, milliseconds);
      ring = (hint) => (hint && !hints) || finish();
    });

  const run = async () => {
    let failures = 0;
    let wholeAt = 0;
    while (needed() && !stopped) {
      const begun = performance.now();
      const whole = begun >= wholeAt;
      wanted = false;
      try {
        await round(whole);
        if (whole) wholeAt = begun + poll;
        if (failures > 0) log.info('subscribers are told again');
        failures = 0;
      } catch (error) {
        if (failures === 0) log.error({ err: error }, 'subscribers cannot be told; trying again');
        failures++;
        // The next poll looks at everything, which includes what was hinted at.
        wholeAt = 0;
        await pause(Math.min(100 * 2 ** failures, longest), false);
        continue;
      }
      if (!needed() || stopped) break;
      const rest = spacing - (performance.now() - begun);
      if (rest > 0) await pause(rest, false);
      if (!wanted && !stopped) await pause(Math.max(0, wholeAt - performance.now()), true);
    }
    active = false;
  };

  return {
    wake() {
      wanted = true;
      ring?.(true);
      if (active || stopped) return;
      active = true;
      running = run();
    },
    async stop() {
      stopped = true;
      ring?.(false);
      await running;
    },
  };
}

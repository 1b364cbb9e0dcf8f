import type { Logger } from 'pino';

/** Hints that come closer together than this share a round, in milliseconds. */
const spacing = 20;
/** A round that looks at everything is made this often, in milliseconds, hint or not. */
const poll = 1000;
/** After a round that failed, the next waits up to this long, in milliseconds. */
const longest = 5000;

/** Rounds of work, one at a time, made as long as somebody needs them. */
export interface Rounds {
  /** Hints that there is something to do; begins to make rounds where none are made. */
  wake(): void;
  /** Makes no further round; resolves when the one under way is over. */
  stop(): Promise<void>;
}

/** Settings of rounds. */
export interface RoundsOptions {
  /** Makes a round: of what was hinted at, or `whole`, of everything. */
  round(whole: boolean): Promise<void>;
  /** Whether anybody needs another one. */
  needed(): boolean;
  log: Logger;
}

/** Rounds that outlive every failure: a database that is away is asked again until it is back. */
export function createRounds({ round, needed, log }: RoundsOptions): Rounds {
  let stopped = false;
  let wanted = false;
  let active = false;
  let running = Promise.resolve();
  let ring: ((hint: boolean) => void) | undefined;

  /** Waits so long, or until it is stopped, or, where hints count, for one. */
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
        // Whatever was hinted at is in what there is to see.
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

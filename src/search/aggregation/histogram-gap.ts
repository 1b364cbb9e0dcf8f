import { illegalArgument } from '../search-failure.js';
import type { Input } from '../syntax/input.js';

/** An existing bucket with its key, or an empty one between existing buckets. */
export interface Filled<T> {
  readonly key: number;
  readonly bucket?: T;
}

/** Range up to which empty buckets extend beyond the existing ones. */
export interface KeyBounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** @throws SearchFailure if the minimum of bounds exceeds their maximum */
export const requireInOrder = (name: string, { min, max }: KeyBounds, at: Input): void => {
  if (min === undefined || max === undefined || min <= max) return;
  throw illegalArgument(`[${name}.min][${min}] cannot be greater than [${name}.max][${max}]`, at);
};

/**
 * Checks that extended bounds lie inside hard bounds, or begin the same bucket.
 * @param start returns the beginning of a bound's bucket
 * @throws SearchFailure
 */
export const requireInside = (
  extended: KeyBounds,
  hard: KeyBounds,
  at: Input,
  start: (bound: number) => number = (bound) => bound,
): void => {
  const below = extended.min !== undefined && hard.min !== undefined && start(extended.min) < start(hard.min);
  const above = extended.max !== undefined && hard.max !== undefined && start(extended.max) > start(hard.max);
  if (!below && !above) return;
  const shown = ({ min, max }: KeyBounds) => `${min ?? ''}--${max ?? ''}`;
  throw illegalArgument(
    `Extended bounds have to be inside hard bounds, hard bounds: [${shown(hard)}], extended bounds: [${shown(extended)}]`,
    at,
  );
};

/**
 * Fills the gaps between buckets, and up to the bounds, as the engines do: each bucket once, in the order of keys.
 * @param next returns the key after a key
 * @param made called before every bucket, and may throw to refuse it
 */
export function* fillGaps<T>(
  buckets: readonly { key: number; bucket: T }[],
  next: (key: number) => number,
  { min, max }: KeyBounds,
  made: () => void,
): Generator<Filled<T>> {
  // An interval can be too small to distinguish a key from the next one.
  const after = (key: number) => {
    const following = next(key);
    return following > key ? following : Infinity;
  };
  function* upTo(from: number, goesOn: (key: number) => boolean): Generator<Filled<T>> {
    for (let key = from; goesOn(key); key = after(key)) {
      made();
      yield { key };
    }
  }
  const [first] = buckets;
  if (first === undefined) {
    if (min !== undefined && max !== undefined) yield* upTo(min, (key) => key <= max);
    return;
  }
  if (min !== undefined) yield* upTo(min, (key) => key < first.key);
  let last: number | undefined;
  for (const bucket of buckets) {
    if (last !== undefined) yield* upTo(after(last), (key) => key < bucket.key);
    made();
    yield bucket;
    last = bucket.key;
  }
  if (max !== undefined) yield* upTo(after(last!), (key) => key <= max);
}

import type { InstantRange } from '../instant-range.js';
import type { Predicate } from './predicate.js';

/** Narrows a time span by predicates that must all hold. An end is NaN if an instant lies beyond JavaScript's dates. */
export const timeLeft = (span: InstantRange, predicates: readonly Predicate[]): InstantRange => {
  const parts = predicates.flatMap((one) => (one.kind === 'and' ? one.of : [one]));
  const ranges = parts.flatMap((one) => (one.kind === 'range' && one.field.path === 'ts' ? [one] : []));
  return {
    from: Math.max(span.from, ...ranges.flatMap(({ lower }) => (lower ? [instantOf(lower.value)] : []))),
    to: Math.min(span.to, ...ranges.flatMap(({ upper }) => (upper ? [instantOf(upper.value)] : []))),
  };
};

const instantOf = (value: string | number): number => Date.parse(`${value}`);

import type { Span } from '../span.js';
import type { Predicate } from './predicate.js';

/** What is left of a span by predicates that all are to be true; no number where an instant is beyond the calendar. */
export const timeLeft = (span: Span, predicates: readonly Predicate[]): Span => {
  const parts = predicates.flatMap((one) => (one.kind === 'and' ? one.of : [one]));
  const ranges = parts.flatMap((one) => (one.kind === 'range' && one.field.path === 'ts' ? [one] : []));
  return {
    from: Math.max(span.from, ...ranges.flatMap(({ lower }) => (lower ? [instantOf(lower.value)] : []))),
    to: Math.min(span.to, ...ranges.flatMap(({ upper }) => (upper ? [instantOf(upper.value)] : []))),
  };
};

const instantOf = (value: string | number): number => Date.parse(`${value}`);

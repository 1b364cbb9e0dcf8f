import { dayMs, weekMs } from '#common/time.js';
import type { BoundKey } from '#search/hits/bound-sort.js';
import type { InstantRange } from '#search/instant-range.js';
import { instantText } from '#search/query/option/instant.js';
import type { Predicate } from '#search/query/predicate.js';
import { timeLeft } from '#search/query/time-left.js';
import { type DaySpan, spansWithin } from '../blocks/block-range.js';
import type { Scope } from '../sql/record-scan.js';

/**
 * Time range that is searched first for the newest records, in milliseconds. Records usually keep coming, and a query
 * over a week's partitions is planned and run in a fraction of the time of all partitions.
 */
const recent = weekMs;

/** A page in order of time, with its possible time span. */
interface Page {
  readonly scope: Scope;
  readonly predicates: readonly Predicate[];
  readonly sort: readonly BoundKey[];
  readonly from: number;
  /** Time span of the records, up to the cursor if there is one. */
  readonly span: InstantRange;
}

/**
 * Splits the scope into parts, which are read in sequence until the page is full. For a page of the newest records, the
 * newest part comes first.
 */
export const newestFirst = ({ scope, predicates, sort, from, span }: Page): Scope[] => {
  if (!isNewestFirst(sort) || from > 0) return [scope];
  const left = timeLeft(span, predicates);
  const cut = Math.floor(left.to) - recent;
  // The comparison is also false for NaN, which an instant beyond JavaScript's dates yields.
  if (!(cut - recent > left.from)) return [scope];
  const until = Date.parse(scope.to) <= span.to ? scope.to : instantText(span.to);
  return [
    { ...scope, from: instantText(cut), to: until },
    // This ends one microsecond earlier, the precision of stored times, because both ends of a scope are included.
    { ...scope, to: justBefore(cut) },
  ];
};

const isNewestFirst = ([first]: readonly BoundKey[]): boolean =>
  first === undefined || (first.field.path === 'ts' && first.descending);

const justBefore = (millis: number): string => instantText(millis - 1).replace('Z', '999Z');

/** Maximum number of days with blocks that one part of a page has. */
const mostDays = 64;

/**
 * Splits a scope with days that only blocks hold. The parts are read in sequence until a page in order of time is full:
 * first what is before these days in this order, then ever more of them, so that few blocks are decoded for few records.
 */
export const aloneInSteps = ({ scope: wide, predicates, sort, span }: Page, alone: readonly DaySpan[]): Scope[] => {
  if (sort.length > 0 && sort[0]!.field.path !== 'ts') return [wide];
  const left = timeLeft(span, predicates);
  const scope = {
    ...wide,
    ...(Number.isFinite(left.from) && { from: laterOf(wide.from, Math.floor(left.from)) }),
    ...(Number.isFinite(left.to) && { to: earlierOf(wide.to, Math.ceil(left.to) + 1) }),
  };
  const days = daysOf(spansWithin(alone, left));
  if (days.length === 0) return [scope];
  const descending = isNewestFirst(sort);
  const cuts = descending ? steps(days.toReversed().map((day) => day + dayMs)) : steps(days);
  const ends = [...cuts, descending ? days[0]! : days.at(-1)! + dayMs].toSorted((a, b) => a - b);
  const parts = [...ends, undefined].map((end, index) => ({
    ...scope,
    ...(index > 0 && { from: laterOf(scope.from, ends[index - 1]!) }),
    ...(end !== undefined && { to: earlierOf(scope.to, end) }),
  }));
  const needed = parts.filter(({ from, to }) => Date.parse(from) <= Date.parse(to));
  return descending ? needed.toReversed() : needed;
};

/** Returns the starts of days in milliseconds, in ascending order. */
const daysOf = (spans: readonly DaySpan[]): number[] => {
  const days = new Set<number>();
  for (const { start, until } of spans) for (let day = start; day < until; day += dayMs) days.add(day);
  return [...days].toSorted((a, b) => a - b);
};

/** Selects the times at which parts begin that have 1, 2, 4 and more days. */
const steps = (times: readonly number[]): number[] => {
  const cuts: number[] = [];
  for (let [at, count] = [0, 1]; at < times.length; at += count, count = Math.min(mostDays, 2 * count))
    cuts.push(times[at]!);
  return cuts;
};

const laterOf = (from: string, start: number): string => (Date.parse(from) >= start ? from : instantText(start));
const earlierOf = (to: string, end: number): string => (Date.parse(to) < end ? to : justBefore(end));

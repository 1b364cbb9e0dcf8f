import type { BoundKey } from '../../../../search/hits/bound-sort.js';
import { instantText } from '../../../../search/query/option/instant.js';
import type { Predicate } from '../../../../search/query/predicate.js';
import { timeLeft } from '../../../../search/query/time-left.js';
import type { Span } from '../../../../search/span.js';
import type { Scope } from '../sql/scan.js';

/**
 * How far back the newest records are looked for first, in milliseconds. Records mostly keep coming, and what is asked of a
 * week's partitions is planned and run in a fraction of the time that all of them take.
 */
const recent = 7 * 86_400_000;

/** A page in the order of time, and where in time it can be. */
interface Page {
  readonly scope: Scope;
  readonly predicates: readonly Predicate[];
  readonly sort: readonly BoundKey[];
  readonly from: number;
  /** The time that records can be in, up to the cursor where there is one. */
  readonly span: Span;
}

/** The scope in parts, which are read one after the other until the page is full: for a page of the newest records, the newest part first. */
export const newestFirst = ({ scope, predicates, sort, from, span }: Page): Scope[] => {
  const [first] = sort;
  const byTime = first === undefined || (first.field.path === 'ts' && first.descending);
  if (!byTime || from > 0) return [scope];
  const left = timeLeft(span, predicates);
  const cut = Math.floor(left.to) - recent;
  // Also where an instant is beyond the calendar, which reads as no number.
  if (!(cut - recent > left.from)) return [scope];
  const until = Date.parse(scope.to) <= span.to ? scope.to : instantText(span.to);
  return [
    { ...scope, from: instantText(cut), to: until },
    // A microsecond before, which is what records are stored to: both ends are in a scope.
    { ...scope, to: instantText(cut - 1).replace('Z', '999Z') },
  ];
};

import { weekMs } from '#common/time.js';
import type { BoundKey } from '#search/hits/bound-sort.js';
import type { InstantRange } from '#search/instant-range.js';
import { instantText } from '#search/query/option/instant.js';
import type { Predicate } from '#search/query/predicate.js';
import { timeLeft } from '#search/query/time-left.js';
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
  const [first] = sort;
  const byTime = first === undefined || (first.field.path === 'ts' && first.descending);
  if (!byTime || from > 0) return [scope];
  const left = timeLeft(span, predicates);
  const cut = Math.floor(left.to) - recent;
  // The comparison is also false for NaN, which an instant beyond JavaScript's dates yields.
  if (!(cut - recent > left.from)) return [scope];
  const until = Date.parse(scope.to) <= span.to ? scope.to : instantText(span.to);
  return [
    { ...scope, from: instantText(cut), to: until },
    // This ends one microsecond earlier, the precision of stored times, because both ends of a scope are included.
    { ...scope, to: instantText(cut - 1).replace('Z', '999Z') },
  ];
};

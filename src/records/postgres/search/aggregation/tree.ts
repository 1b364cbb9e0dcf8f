import { answerCounter } from '#records/answer/answer-count.js';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import type { Aggregation } from '#search/aggregation/aggregation.js';
import type { Answer } from '#search/aggregation/aggregation-answer.js';
import type { TimeInterval } from '#search/aggregation/option/time-interval.js';
import { unitMillis } from '#search/date/calendar.js';
import { type Interval, uniformMillis } from '#search/date/rounding.js';
import type { InstantRange } from '#search/instant-range.js';
import type { Predicate } from '#search/query/predicate.js';
import { devicesOf, type Surroundings } from '../hits/hits.js';
import { loadMatched, type Names } from '../hits/matched.js';
import type { Scope } from '../sql/record-scan.js';
import { AggregationContext, type Planning } from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';
import { BucketQuery } from './bucket/bucket-query.js';
import { BucketRows } from './bucket/bucket-rows.js';
import { planAll } from './registry.js';

/** Planned aggregations of a query. */
export interface PlannedTree {
  /** Rows of the bucket queries, in the order in which they are read. */
  readonly queries: readonly BucketRows[];
  read(reader: QueryReader): Promise<Answer>;
  /**
   * Returns the number of matching records, if the buckets of one query contain each of them once. The rows must
   * have been read.
   */
  total(): number | undefined;
}

/** Whether it pays off to read the time span of the records beforehand, because the scope has many time buckets. */
export const needsNarrow = (aggregations: readonly Aggregation[], { from, to }: InstantRange): boolean =>
  aggregations.some((one) => {
    const sources = one.kind === 'composite' ? one.sources : [];
    const timed = sources.flatMap((source): TimeInterval[] => (source.by === 'date_histogram' ? [source] : []));
    const intervals = one.kind === 'date_histogram' ? [one] : timed;
    const many = intervals.some(
      ({ interval, timeZone }) => timeZone !== undefined && (to - from) / widthOf(interval) > manyBuckets,
    );
    return many || ('children' in one && needsNarrow(one.children, { from, to }));
  });

const manyBuckets = 2000;

const widthOf = (interval: Interval): number => uniformMillis(interval) ?? 28 * unitMillis.day;

const top: Bucket = { id: '[]' };

/** Approximate memory of one cell of a row, in bytes. */
const cellBytes = 16;

/** Inputs of planning. */
interface Shared extends Pick<Planning, 'fields' | 'now' | 'span' | 'found' | 'times' | 'pace'> {
  /** Counts memory in bytes. Throws above the limit of a call, or of all calls. */
  readonly weigh: (bytes: number) => void;
  /** Named clauses of the query, for records that are shown. */
  readonly names: Names;
}

/** Plans the aggregations of a query. Returns undefined if there are none. */
export const planTree = (
  aggregations: readonly Aggregation[],
  scope: Scope,
  query: Predicate,
  { weigh, names, ...shared }: Shared,
): PlannedTree | undefined => {
  if (aggregations.length === 0) return undefined;
  let devices: Surroundings = { devices: new Map(), owners: new Map(), retyped: new Set(), staleTypes: new Map() };
  const shown: (() => readonly (readonly unknown[])[])[] = [];
  const root = new BucketRows(new BucketQuery({ scope, where: [query], keys: [] }));
  const queries = [root];
  const planning: Planning = {
    ...shared,
    ...answerCounter(weigh),
    root,
    scope,
    query,
    queries,
    planAll,
    needDevices: (records) => void shown.push(records),
    devices: () => devices,
  };
  const planned = planAll(aggregations, new AggregationContext(planning, root));
  return {
    queries,
    total: () => queries.map((rows) => rows.sumOf(root)).find((sum) => sum !== undefined),
    read: async (reader) => {
      for (const rows of queries) weigh((await rows.read(reader, weigh)) * cellBytes);
      if (shown.length > 0) {
        const records = shown.flatMap((of) => of());
        const inBlocks = new Map(queries.flatMap((rows) => [...rows.inBlocks]));
        devices = await devicesOf(reader.rows, records, { organizationId: scope.organizationId, inBlocks });
        devices = { ...devices, matched: await loadMatched(reader, records, names, inBlocks) };
      }
      return planned.read(root.bucketsOf(top)[0] ?? top);
    },
  };
};

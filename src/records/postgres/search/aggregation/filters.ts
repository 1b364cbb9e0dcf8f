import sql, { join } from 'sql-template-tag';
import { filtersAnswer } from '#records/answer/filters.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type {
  FilterAggregation,
  FiltersAggregation,
  GlobalAggregation,
  MissingAggregation,
} from '#search/aggregation/filters.js';
import { recordsMatching, recordsWithout } from '#search/aggregation/selection.js';
import { bindQuery } from '#search/query/bind.js';
import { fieldsOf, not, or, type Predicate } from '#search/query/predicate.js';
import { badAggregation } from '#search/search-failure.js';
import { name } from '../sql/name.js';
import { condition } from '../sql/sql-condition.js';
import { AggregationContext, type Planned } from './bucket/aggregation-context.js';
import { type Bucket, emptyIn, type Key } from './bucket/bucket.js';
import { BucketQuery } from './bucket/bucket-query.js';
import { BucketRows } from './bucket/bucket-rows.js';

/**
 * Plans an aggregation with a single bucket.
 * @param own returns the bucket that its answers are read from, for an enclosing bucket
 */
const singleBucket = (
  aggregation: WithChildren<FilterAggregation | MissingAggregation | GlobalAggregation>,
  inner: AggregationContext,
  own = (bucket: Bucket) => bucket,
): Planned => {
  const children = inner.planAll(aggregation);
  const count = inner.count();
  const counted = inner.filters.length === 0 ? undefined : inner.counted();
  return {
    children,
    read: (bucket) => children.read(own(bucket), { doc_count: count(own(bucket)) }),
    ...(counted && {
      sortable: (property: string) =>
        property === '' || property === 'doc_count' ? { ...counted, empty: 0 } : undefined,
    }),
  };
};

/** Plans one bucket of the records that match a query. */
export const filter = (aggregation: WithChildren<FilterAggregation>, context: AggregationContext): Planned =>
  singleBucket(aggregation, context.filtered(recordsMatching(aggregation, context.planning)));

/** Plans one bucket of the records without a value. */
export const missing = (aggregation: WithChildren<MissingAggregation>, context: AggregationContext): Planned =>
  singleBucket(aggregation, context.filtered(recordsWithout(aggregation, context.planning)));

/** Plans one bucket of all records in scope, whatever the query. */
export const global = (aggregation: WithChildren<GlobalAggregation>, context: AggregationContext): Planned => {
  const { planning } = context;
  if (!context.isTop) {
    throw badAggregation(
      `Aggregation cannot have a global sub-aggregation [${aggregation.name}]. Global aggregations can only be defined as top level aggregations`,
      aggregation.at,
    );
  }
  const rows = new BucketRows(new BucketQuery({ scope: planning.scope, where: [], keys: [] }));
  planning.queries.push(rows);
  return singleBucket(
    aggregation,
    new AggregationContext(planning, rows),
    () => rows.bucketsOf(noneAround)[0] ?? noneAround,
  );
};

const noneAround: Bucket = { id: '[]' };

/**
 * Builds the key of buckets by condition: a record counts in each bucket whose condition it meets. The key in answers
 * is the condition's index.
 */
export const conditionKey = (conditions: readonly Predicate[], index: number): Key => {
  const alias = name('many', index);
  const rows = conditions.map((one, at) => sql`(${at}::int, ${condition(one)})`);
  return {
    value: sql`${alias}.v`,
    type: sql`int4`,
    fields: conditions.flatMap(fieldsOf),
    lateral: sql`(select b.v from (values ${join(rows)}) as b(v, hit) where b.hit) ${alias}`,
  };
};

/** Plans a bucket for each query and, if requested, one for records that match none. */
export const filters = (aggregation: WithChildren<FiltersAggregation>, context: AggregationContext): Planned => {
  const bound: Predicate[] = aggregation.filters.map(({ query }) => bindQuery(query, context.planning));
  const conditions = aggregation.other === undefined ? bound : [...bound, not(or(bound))];
  const inner = context.inside([conditionKey(conditions, context.query.depth)]);
  const children = inner.planAll(aggregation);
  const found = (around: Bucket) => {
    const buckets = inner.rows.bucketsOf(around);
    const byIndex = new Map(buckets.map((bucket) => [Number(inner.rows.keysOf(bucket.row!)[0]), bucket]));
    return (index: number) => byIndex.get(index) ?? emptyIn(around);
  };
  return { read: filtersAnswer(aggregation, { children, count: inner.count(), found }, context.planning) };
};

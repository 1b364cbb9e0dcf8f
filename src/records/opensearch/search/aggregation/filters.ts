import { filtersAnswer } from '#records/answer/filters.js';
import type { EngineBucket, Part } from '#records/opensearch/engine.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type {
  FilterAggregation,
  FiltersAggregation,
  GlobalAggregation,
  MissingAggregation,
} from '#search/aggregation/filters.js';
import { recordsMatching, recordsWithout } from '#search/aggregation/selection.js';
import { bindQuery } from '#search/query/bind.js';
import { not, or, type Predicate } from '#search/query/predicate.js';
import { badAggregation } from '#search/search-failure.js';
import type { Children, EngineAggregationContext, Planned, SortPath } from './bucket/aggregation-context.js';
import { type Bucket, countOf, emptyIn, inside } from './bucket/bucket.js';

/** Plans one bucket of the records that match a query. */
export const filter = (aggregation: WithChildren<FilterAggregation>, context: EngineAggregationContext): Planned => {
  const { compiler } = context.planning;
  return ofPart(aggregation, context, compiler.part(recordsMatching(aggregation, context.planning)));
};

/** Plans one bucket of the records without a value. */
export const missing = (aggregation: WithChildren<MissingAggregation>, context: EngineAggregationContext): Planned => {
  const { compiler } = context.planning;
  return ofPart(aggregation, context, compiler.part(recordsWithout(aggregation, context.planning)));
};

const ofPart = (
  aggregation: WithChildren<FilterAggregation | MissingAggregation>,
  context: EngineAggregationContext,
  part: Part,
): Planned => {
  const children = context.planAll(aggregation);
  const question = context.ask('filter', part, { children });
  const own = (around: Bucket): Bucket => {
    const found = question.answerIn(around);
    return found === undefined ? emptyIn(around) : inside(found, around);
  };
  return {
    asked: question.asked,
    children: seenThrough(children, own, (path) => question.path(`>${path}`)),
    visit: (bucket) => children.visit(own(bucket)),
    read: (bucket) => children.read(own(bucket), { doc_count: countOf(own(bucket)) }),
    sortable: (property) =>
      property === '' || property === 'doc_count'
        ? { path: question.path(''), cell: (bucket) => countOf(own(bucket)), empty: 0 }
        : undefined,
  };
};

/** Returns the sub-aggregations of a single bucket in a form by which the enclosing buckets can be ordered. */
const seenThrough = (
  children: Children,
  own: (around: Bucket) => Bucket,
  pathOf: (path: string) => string,
): Children => {
  const outer = ({ path, cell, ...rest }: SortPath): SortPath => ({
    ...rest,
    path: pathOf(path),
    cell: (bucket) => cell(own(bucket)),
  });
  return {
    ...children,
    get: (name) => {
      const inner = children.get(name);
      if (inner === undefined) return undefined;
      return {
        ...inner,
        sortable: (property) => {
          const metric = inner.sortable?.(property);
          return metric && outer(metric);
        },
        ...(inner.children && { children: seenThrough(inner.children as Children, own, pathOf) }),
      };
    },
  };
};

/** Plans one bucket of all records in scope, whatever the query. */
export const global = (aggregation: WithChildren<GlobalAggregation>, context: EngineAggregationContext): Planned => {
  const { planning } = context;
  if (!context.isTop) {
    throw badAggregation(
      `Aggregation cannot have a global sub-aggregation [${aggregation.name}]. Global aggregations can only be defined as top level aggregations`,
      aggregation.at,
    );
  }
  const children = context.planAll(aggregation);
  const [name, inner] = [planning.newName(), 'in'];
  // The engine's own `global` covers the records of all organizations, so a filter limits it to the scope.
  const asked = { [name]: { global: {}, aggs: { [inner]: { filter: planning.scope, aggs: children.asked } } } };
  const own = ({ found }: Bucket): Bucket => {
    const around = found?.[name] as EngineBucket | undefined;
    const bucket = around?.[inner] as EngineBucket | undefined;
    return bucket === undefined ? {} : { found: bucket };
  };
  return {
    asked,
    visit: (bucket) => children.visit(own(bucket)),
    read: (bucket) => children.read(own(bucket), { doc_count: countOf(own(bucket)) }),
  };
};

/**
 * Plans buckets by condition: a record counts in each bucket whose condition it meets. Buckets are identified by the
 * index of their condition.
 */
export const conditionBuckets = (
  conditions: readonly Part[],
  children: Children,
  context: EngineAggregationContext,
  empty: (around: Bucket) => Bucket,
) => {
  const filters = Object.fromEntries(conditions.map((condition, index) => [`${index}`, condition]));
  const question = context.ask('filters', { filters }, { children });
  const found = (around: Bucket) => {
    const buckets = (question.answerIn(around)?.['buckets'] ?? {}) as Readonly<Record<string, EngineBucket>>;
    return (index: number): Bucket => {
      const bucket = buckets[`${index}`];
      // The engine also returns empty buckets.
      return bucket === undefined || bucket.doc_count === 0 ? empty(around) : inside(bucket, around);
    };
  };
  const visit = (around: Bucket) => {
    const bucketOf = found(around);
    for (const index of conditions.keys()) children.visit(bucketOf(index));
  };
  return { asked: question.asked, found, visit };
};

/** Plans a bucket per query, and one for records that match none of them if requested. */
export const filters = (aggregation: WithChildren<FiltersAggregation>, context: EngineAggregationContext): Planned => {
  const { planning } = context;
  const bound: Predicate[] = aggregation.filters.map(({ query }) => bindQuery(query, planning));
  const conditions = aggregation.other === undefined ? bound : [...bound, not(or(bound))];
  const children = context.planAll(aggregation);
  const { asked, visit, found } = conditionBuckets(conditions.map(planning.compiler.part), children, context, emptyIn);
  return { asked, visit, read: filtersAnswer(aggregation, { children, count: countOf, found }, planning) };
};

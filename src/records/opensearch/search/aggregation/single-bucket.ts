import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { FilterAggregation } from '../../../../search/aggregation/filter.js';
import type { GlobalAggregation } from '../../../../search/aggregation/global.js';
import type { MissingAggregation } from '../../../../search/aggregation/missing.js';
import { recordsMatching, recordsWithout } from '../../../../search/aggregation/selection.js';
import { badAggregation } from '../../../../search/failure.js';
import type { EngineBucket, Part } from '../../engine.js';
import { type Bucket, countOf, emptyIn, inside } from './bucket/bucket.js';
import type { Children, Planned, SortPath, Stage } from './bucket/stage.js';

/** Plans the bucket of the records that match a query. */
export const filter = (aggregation: WithChildren<FilterAggregation>, stage: Stage): Planned => {
  const { compiler } = stage.planning;
  return ofPart(aggregation, stage, compiler.part(recordsMatching(aggregation, stage.planning)));
};

/** Plans the bucket of the records without a value. */
export const missing = (aggregation: WithChildren<MissingAggregation>, stage: Stage): Planned => {
  const { compiler } = stage.planning;
  return ofPart(aggregation, stage, compiler.part(recordsWithout(aggregation, stage.planning)));
};

const ofPart = (
  aggregation: WithChildren<FilterAggregation | MissingAggregation>,
  stage: Stage,
  part: Part,
): Planned => {
  const children = stage.planAll(aggregation);
  const question = stage.ask('filter', part, { children });
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

/** Adapts the sub-aggregations of a single bucket, so that its enclosing buckets can be ordered by their metrics. */
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

/** Plans the bucket of all records in scope, regardless of the query. */
export const global = (aggregation: WithChildren<GlobalAggregation>, stage: Stage): Planned => {
  const { planning } = stage;
  if (!stage.isTop) {
    throw badAggregation(
      `Aggregation cannot have a global sub-aggregation [${aggregation.name}]. Global aggregations can only be defined as top level aggregations`,
      aggregation.at,
    );
  }
  const children = stage.planAll(aggregation);
  const [name, inner] = [planning.newName(), 'in'];
  // The engine's own `global` bucket covers the records of all organizations, so a filter limits it to the scope.
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

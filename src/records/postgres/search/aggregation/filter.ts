import sql from 'sql-template-tag';
import type {
  FilterAggregation,
  FiltersAggregation,
  GlobalAggregation,
  MissingAggregation,
} from '../../../../search/aggregation/aggregation.js';
import { type Answer, hiddenKey } from '../../../../search/aggregation/answer.js';
import { badAggregation } from '../../../../search/failure.js';
import { chain } from '../../../../search/pace.js';
import { bindQuery } from '../../../../search/query/bind.js';
import { type Binding, known } from '../../../../search/query/binding.js';
import { all, none, not, or, type Predicate } from '../../../../search/query/predicate.js';
import { type Bucket, emptyIn } from './bucket.js';
import { conditionKey } from './condition-key.js';
import { Level } from './level.js';
import { type Planned, Stage } from './stage.js';

/** One bucket, of the records that match or, of `missing`, of those without a value. */
export const filter = (aggregation: FilterAggregation | MissingAggregation, stage: Stage): Planned => {
  return single(aggregation, stage.filtered(restriction(aggregation, stage.planning)));
};

/** Which records the one bucket of an aggregation has. */
export const restriction = (aggregation: FilterAggregation | MissingAggregation, binding: Binding): Predicate => {
  if (aggregation.kind === 'filter') return bindQuery(aggregation.filter, binding);
  const field = known(binding.fields, aggregation.field, aggregation.at);
  if (aggregation.missing !== undefined) return none;
  return field === undefined ? all : not({ kind: 'exists', field });
};

/** One bucket, of all records in scope, whatever the query. */
export const global = (aggregation: GlobalAggregation, stage: Stage): Planned => {
  const { planning } = stage;
  if (!stage.isTop) {
    throw badAggregation(
      `Aggregation cannot have a global sub-aggregation [${aggregation.name}]. Global aggregations can only be defined as top level aggregations`,
      aggregation.at,
    );
  }
  const level = new Level({ scope: planning.scope, where: [], keys: [] });
  planning.levels.push(level);
  return single(aggregation, new Stage(planning, level), () => level.bucketsOf(noneAround)[0] ?? noneAround);
};

const noneAround: Bucket = { id: '[]' };

const single = (
  aggregation: FilterAggregation | MissingAggregation | GlobalAggregation,
  inner: Stage,
  own = (bucket: Bucket) => bucket,
): Planned => {
  const children = inner.planAll(aggregation);
  const count = inner.count();
  const counted = inner.filters.length === 0 ? undefined : inner.aggregate((where) => sql`count(*)${where}`);
  return {
    children,
    read: (bucket) => children.read(own(bucket), { doc_count: count(own(bucket)) }),
    ...(counted && {
      sortable: (property: string) => (property === '' || property === '_count' ? { ...counted, empty: 0 } : undefined),
    }),
  };
};

/** A bucket for each of several queries, and one for what matches none where asked for. */
export const filters = (aggregation: FiltersAggregation, stage: Stage): Planned => {
  const bound: Predicate[] = aggregation.filters.map(({ query }) => bindQuery(query, stage.planning));
  const conditions = aggregation.other === undefined ? bound : [...bound, not(or(bound))];
  const inner = stage.inside([conditionKey(conditions, stage.level.depth)]);
  const children = inner.planAll(aggregation);
  const count = inner.count();
  // Those without names are sorted by their places.
  const names = [...aggregation.filters.map(({ name }, index) => name ?? `${index}`), aggregation.other];
  return {
    read: (around) => {
      const found = new Map(
        inner.level.bucketsOf(around).map((bucket) => [Number(inner.level.keysOf(bucket.row!)[0]), bucket]),
      );
      stage.planning.made(conditions.length);
      const answers = children.readAll(conditions.keys(), (index) => {
        const bucket = found.get(index) ?? emptyIn(around);
        return [{ key: names[index], doc_count: count(bucket) }, bucket];
      });
      return chain(answers, (named): Answer => {
        if (!aggregation.keyed)
          return { buckets: named.map(({ key, ...answer }) => ({ ...answer, [hiddenKey]: key as string })) };
        return { buckets: Object.fromEntries(named.map(({ key, ...answer }) => [key as string, answer])) };
      });
    },
  };
};

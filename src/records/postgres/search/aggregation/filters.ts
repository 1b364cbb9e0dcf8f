import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import { type Answer, hiddenKey } from '../../../../search/aggregation/answer.js';
import type { FiltersAggregation } from '../../../../search/aggregation/filters.js';
import { chain } from '../../../../search/pace.js';
import { bindQuery } from '../../../../search/query/bind.js';
import { not, or, type Predicate } from '../../../../search/query/predicate.js';
import { emptyIn } from './bucket/bucket.js';
import { conditionKey } from './bucket/condition-key.js';
import type { Planned, Stage } from './bucket/stage.js';

/** A bucket for each of several queries, and one for what matches none where asked for. */
export const filters = (aggregation: WithChildren<FiltersAggregation>, stage: Stage): Planned => {
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

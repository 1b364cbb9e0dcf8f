import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { FiltersAggregation } from '../../../../search/aggregation/filters.js';
import { bindQuery } from '../../../../search/query/bind.js';
import { not, or, type Predicate } from '../../../../search/query/predicate.js';
import { filtersAnswer } from '../../../answer/filters.js';
import { countOf, emptyIn } from './bucket/bucket.js';
import { conditionBuckets } from './bucket/condition.js';
import type { Planned, Stage } from './bucket/stage.js';

/** A bucket for each of several queries, and one for what matches none where asked for. */
export const filters = (aggregation: WithChildren<FiltersAggregation>, stage: Stage): Planned => {
  const { planning } = stage;
  const bound: Predicate[] = aggregation.filters.map(({ query }) => bindQuery(query, planning));
  const conditions = aggregation.other === undefined ? bound : [...bound, not(or(bound))];
  const children = stage.planAll(aggregation);
  const { asked, visit, found } = conditionBuckets(conditions.map(planning.compiler.part), children, stage, emptyIn);
  return { asked, visit, read: filtersAnswer(aggregation, { children, count: countOf, found }, planning) };
};

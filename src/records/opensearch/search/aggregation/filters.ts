import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { FiltersAggregation } from '../../../../search/aggregation/filters.js';
import { bindQuery } from '../../../../search/query/bind.js';
import { not, or, type Predicate } from '../../../../search/query/predicate.js';
import { filtersAnswer } from '../../../answer/filters.js';
import { countOf, emptyIn } from './bucket/bucket.js';
import { conditionBuckets } from './bucket/condition.js';
import type { Planned, Stage } from './bucket/stage.js';

/** Plans a bucket per query, and one for records that match none of them if requested. */
export const filters = (aggregation: WithChildren<FiltersAggregation>, stage: Stage): Planned => {
  const { planning } = stage;
  const bound: Predicate[] = aggregation.filters.map(({ query }) => bindQuery(query, planning));
  const conditions = aggregation.other === undefined ? bound : [...bound, not(or(bound))];
  const children = stage.planAll(aggregation);
  const { asked, visit, found } = conditionBuckets(conditions.map(planning.compiler.part), children, stage, emptyIn);
  return { asked, visit, read: filtersAnswer(aggregation, { children, count: countOf, found }, planning) };
};

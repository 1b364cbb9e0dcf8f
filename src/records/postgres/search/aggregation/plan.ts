import type { Aggregation, BucketAggregation } from '../../../../search/aggregation/aggregation.js';
import type { Answer } from '../../../../search/aggregation/answer.js';
import type { MetricAggregation } from '../../../../search/aggregation/metric-node.js';
import { acrossOf } from '../../../../search/aggregation/pipeline/parent.js';
import { inOrder, isPipeline, standsBeside } from '../../../../search/aggregation/pipeline/place.js';
import { besides } from '../../../../search/aggregation/pipeline/sibling.js';
import type {
  ParentPipeline,
  PipelineAggregation,
  SiblingPipeline,
} from '../../../../search/aggregation/pipeline-node.js';
import { chain } from '../../../../search/pace.js';
import { autoDateHistogram } from './auto-date-histogram.js';
import { childrenOf, type PlannedPipeline } from './children.js';
import { composite } from './composite.js';
import { dateHistogram } from './date-histogram.js';
import { filter, filters, global } from './filter.js';
import { grid } from './grid.js';
import { histogram } from './histogram.js';
import { planMetric } from './metric.js';
import { checkMissing } from './missing-value.js';
import { multiTerms, rareTerms } from './multi-terms.js';
import { geoDistance, range } from './range.js';
import type { Children, Planned, Planning, Stage } from './stage.js';
import { terms } from './terms.js';

type Plan = {
  [K in (MetricAggregation | BucketAggregation)['kind']]: (
    aggregation: Extract<MetricAggregation | BucketAggregation, { kind: K }>,
    stage: Stage,
  ) => Planned;
};

const planners: Plan = {
  ...planMetric,
  terms,
  rare_terms: rareTerms,
  multi_terms: multiTerms,
  date_histogram: dateHistogram,
  auto_date_histogram: autoDateHistogram,
  histogram,
  range,
  date_range: range,
  geo_distance: geoDistance,
  geohash_grid: grid,
  geotile_grid: grid,
  filter,
  filters,
  missing: filter,
  global,
  composite,
};

/** Plans aggregations that stand in the same buckets. */
export const planAll = (aggregations: readonly Aggregation[], stage: Stage): Children => {
  const planned = new Map<string, Planned>();
  const pipelines: PipelineAggregation[] = [];
  for (const aggregation of aggregations) {
    if (isPipeline(aggregation)) pipelines.push(aggregation);
    else {
      checkMissing(aggregation, stage);
      planned.set(aggregation.name, withMeta(aggregation, (planners[aggregation.kind] as PlanOne)(aggregation, stage)));
    }
  }
  const { planning } = stage;
  return childrenOf(
    planned,
    inOrder(pipelines).map((pipeline) => plannedPipeline(pipeline, planning)),
    planning,
  );
};

type PlanOne = (aggregation: Aggregation, stage: Stage) => Planned;

const withMeta = ({ meta }: Aggregation, planned: Planned): Planned =>
  meta === undefined
    ? planned
    : { ...planned, read: (bucket) => chain(planned.read(bucket), (answer) => ({ meta, ...answer })) };

const plannedPipeline = (pipeline: PipelineAggregation, planning: Planning): PlannedPipeline => {
  const { name, meta } = pipeline;
  if (!standsBeside(pipeline)) return { name, across: acrossOf(pipeline as ParentPipeline, planning.pace) };
  const own = meta === undefined ? {} : { meta };
  const beside = (answers: Answer) =>
    chain(besides(pipeline as SiblingPipeline, answers, planning), (answer) => ({ ...own, ...answer }));
  return { name, beside };
};

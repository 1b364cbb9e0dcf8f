import type { Aggregation } from '#search/aggregation/aggregation.js';
import { type Answer, hiddenClass } from '#search/aggregation/aggregation-answer.js';
import { acrossOf } from '#search/aggregation/pipeline/parent.js';
import type { ParentPipeline, PipelineAggregation, SiblingPipeline } from '#search/aggregation/pipeline/pipeline.js';
import { inOrder, isPipeline, standsBeside } from '#search/aggregation/pipeline/pipeline-order.js';
import { besides } from '#search/aggregation/pipeline/sibling.js';
import type { Field } from '#search/field/field.js';
import { chain } from '#search/pace.js';
import { type ChildrenIn, type Counting, childrenOf, type PlannedIn, type PlannedPipeline } from './children.js';

/** An aggregation that a store computes, as opposed to a pipeline. */
export type AskedAggregation = Exclude<Aggregation, PipelineAggregation>;

/** Planned sub-aggregations of the same bucket, and the object that joins them with their pipelines. */
export interface PlannedSiblings<B, M, P extends PlannedIn<B, M>> {
  readonly planned: ReadonlyMap<string, P>;
  readonly children: ChildrenIn<B, M>;
}

/**
 * Plans sub-aggregations of the same bucket. `plan` plans those that a store computes, in order; pipelines are planned
 * here.
 */
export const planSiblings = <B, M, P extends PlannedIn<B, M>>(
  aggregations: readonly Aggregation[],
  plan: (aggregation: AskedAggregation) => P,
  counting: Counting,
): PlannedSiblings<B, M, P> => {
  const planned = new Map<string, P>();
  const pipelines: PipelineAggregation[] = [];
  for (const aggregation of aggregations) {
    if (isPipeline(aggregation)) pipelines.push(aggregation);
    else planned.set(aggregation.name, withMeta<B, M, P>(aggregation, plan(aggregation)));
  }
  const ordered = inOrder(pipelines).map((pipeline) => plannedPipeline(pipeline, counting));
  return { planned, children: childrenOf(planned, ordered, counting) };
};

/** Adds `meta` to answers and, if pipelines may read the answer, the name of its class in the engines. */
const withMeta = <B, M, P extends PlannedIn<B, M>>({ kind, meta }: AskedAggregation, planned: P): P => {
  const ofClass = engineClass(kind, planned.keyKind);
  if (meta === undefined && ofClass === undefined) return planned;
  const more = { ...(meta !== undefined && { meta }), ...(ofClass !== undefined && { [hiddenClass]: ofClass }) };
  return { ...planned, read: (bucket: B) => chain(planned.read(bucket), (answer) => ({ ...more, ...answer })) };
};

type Kind = Exclude<Aggregation, PipelineAggregation>['kind'];

/**
 * The engines' class of a non-numeric answer, by the kind of its aggregation. Metrics with several numbers have none.
 */
const classes: Readonly<Partial<Record<Kind, string>>> = {
  multi_terms: 'InternalMultiTerms',
  date_histogram: 'InternalDateHistogram',
  auto_date_histogram: 'InternalAutoDateHistogram',
  histogram: 'InternalHistogram',
  range: 'InternalRange',
  date_range: 'InternalDateRange',
  geo_distance: 'InternalGeoDistance',
  geohash_grid: 'InternalGeoHashGrid',
  geotile_grid: 'InternalGeoTileGrid',
  filters: 'InternalFilters',
  filter: 'InternalFilter',
  missing: 'InternalMissing',
  top_hits: 'InternalTopHits',
  geo_bounds: 'InternalGeoBounds',
  geo_centroid: 'InternalGeoCentroid',
};

const termClasses: Readonly<Partial<Record<Field['kind'], string>>> = {
  keyword: 'String',
  double: 'Double',
  long: 'Long',
  boolean: 'Long',
  date: 'Long',
};

/**
 * Returns the engines' class of an answer.
 * @param keyKind kind of the keys of terms; undefined if no record has their field
 */
const engineClass = (kind: Kind, keyKind: Field['kind'] | undefined): string | undefined => {
  const prefix = (keyKind && termClasses[keyKind]) ?? 'Unmapped';
  if (kind === 'terms') return `${prefix}Terms`;
  return kind === 'rare_terms' ? `${prefix}RareTerms` : classes[kind];
};

/** Plans a pipeline over sibling answers, or over the buckets that contain it. */
const plannedPipeline = (pipeline: PipelineAggregation, planning: Counting): PlannedPipeline => {
  const { name, meta } = pipeline;
  if (!standsBeside(pipeline)) return { name, across: acrossOf(pipeline as ParentPipeline, planning) };
  const own = meta === undefined ? {} : { meta };
  const beside = (answers: Answer) =>
    chain(besides(pipeline as SiblingPipeline, answers, planning), (answer) => ({ ...own, ...answer }));
  return { name, beside };
};

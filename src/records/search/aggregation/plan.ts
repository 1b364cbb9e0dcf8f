import { invalidPipelines } from '../failure.js';
import type {
  Aggregation,
  BucketAggregation,
  MetricAggregation,
  ParentPipeline,
  PipelineAggregation,
  SiblingPipeline,
} from './aggregation.js';
import { autoDateHistogram } from './auto-date-histogram.js';
import { childrenOf, type PlannedPipeline } from './children.js';
import { composite } from './composite.js';
import { dateHistogram } from './date-histogram.js';
import { filter, filters, global, missing } from './filter.js';
import { grid } from './grid.js';
import { histogram } from './histogram.js';
import { planMetric } from './metric.js';
import { multiTerms, rareTerms } from './multi-terms.js';
import { acrossOf } from './pipeline/parent.js';
import { besides } from './pipeline/sibling.js';
import { geoDistance, range } from './range.js';
import type { Children, Planned, Stage } from './stage.js';
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
  missing,
  global,
  composite,
};

/** Where each pipeline may stand: in buckets that follow one another, in any buckets, or beside them. */
const places: Readonly<Record<PipelineAggregation['kind'], 'sequence' | 'buckets' | 'beside'>> = {
  derivative: 'sequence',
  cumulative_sum: 'sequence',
  serial_diff: 'sequence',
  moving_fn: 'sequence',
  bucket_script: 'buckets',
  bucket_selector: 'buckets',
  bucket_sort: 'buckets',
  avg_bucket: 'beside',
  sum_bucket: 'beside',
  min_bucket: 'beside',
  max_bucket: 'beside',
  stats_bucket: 'beside',
  extended_stats_bucket: 'beside',
  percentiles_bucket: 'beside',
};

/** Aggregations that make any number of buckets, which pipelines can stand beside. */
const manyBuckets = new Set<string>([
  'terms',
  'rare_terms',
  'multi_terms',
  'date_histogram',
  'auto_date_histogram',
  'histogram',
  'range',
  'date_range',
  'geo_distance',
  'geohash_grid',
  'geotile_grid',
  'filters',
] satisfies Aggregation['kind'][]);
const sequences = new Set<Aggregation['kind']>(['histogram', 'date_histogram', 'auto_date_histogram']);
const oneBucket = new Set<Aggregation['kind']>(['filter', 'missing', 'global']);

/** Plans aggregations that stand in the same buckets, made by `around`; without one they stand at the top. */
export const planAll = (aggregations: readonly Aggregation[], stage: Stage, around?: Aggregation): Children => {
  const kinds = new Map(aggregations.map(({ name, kind }) => [name, kind]));
  const planned = new Map<string, Planned>();
  const pipelines: PipelineAggregation[] = [];
  for (const aggregation of aggregations) {
    if (isPipeline(aggregation)) pipelines.push(aggregation);
    else
      planned.set(aggregation.name, withMeta(aggregation, (planners[aggregation.kind] as PlanOne)(aggregation, stage)));
  }
  for (const pipeline of pipelines) check(pipeline, kinds, around);
  return childrenOf(planned, inOrder(pipelines).map(plannedPipeline));
};

type PlanOne = (aggregation: Aggregation, stage: Stage) => Planned;

/** Whether an aggregation is over the answers of others. */
export const isPipeline = (aggregation: Aggregation): aggregation is PipelineAggregation =>
  Object.hasOwn(places, aggregation.kind);

const withMeta = ({ meta }: Aggregation, planned: Planned): Planned =>
  meta === undefined ? planned : { ...planned, read: (bucket) => ({ meta, ...planned.read(bucket) }) };

/** The names beside it that a pipeline is over. */
const reads = (pipeline: PipelineAggregation): string[] => pathsOf(pipeline).map(firstName);

const pathsOf = (pipeline: PipelineAggregation): string[] => {
  if ('paths' in pipeline) return Object.values(pipeline.paths);
  return 'path' in pipeline ? [pipeline.path] : pipeline.sort.map(({ path }) => path);
};

const firstName = (path: string): string => {
  const [step = ''] = path.split('>');
  return step.trim();
};

const withoutProperty = (name: string): string => name.replace(/(?:\[.*\]|\..*)$/s, '');

const check = (
  pipeline: PipelineAggregation,
  kinds: ReadonlyMap<string, Aggregation['kind']>,
  around: Aggregation | undefined,
): void => {
  const { kind, name, at } = pipeline;
  const place = places[kind];
  if (place !== 'beside' && (around === undefined || oneBucket.has(around.kind))) {
    throw invalidPipelines([`${kind} aggregation [${name}] must be declared inside of another aggregation`], at);
  }
  if (place === 'sequence' && !sequences.has(around!.kind)) {
    throw invalidPipelines(
      [`${kind} aggregation [${name}] must have a histogram, date_histogram or auto_date_histogram as parent`],
      at,
    );
  }
  if (place === 'sequence' && 'minDocCount' in around! && around.minDocCount !== 0) {
    throw invalidPipelines([`parent histogram of ${kind} aggregation [${name}] must have min_doc_count of 0`], at);
  }
  const unknown = pathsOf(pipeline).filter((path) => {
    const first = firstName(path);
    return !first.startsWith('_') && !kinds.has(first) && !kinds.has(withoutProperty(first));
  });
  if (unknown.length > 0)
    throw invalidPipelines(
      unknown.map((path) => `No aggregation found for path [${path}]`),
      at,
    );
  if (place === 'beside') requireBuckets(pipeline, kinds);
};

/** What stands beside buckets is over one aggregation that makes any number of them. */
const requireBuckets = (pipeline: PipelineAggregation, kinds: ReadonlyMap<string, Aggregation['kind']>): void => {
  const wrong = pathsOf(pipeline).find((path) => !manyBuckets.has(kinds.get(firstName(path)) ?? ''));
  if (wrong === undefined) return;
  throw invalidPipelines(
    [
      `The first aggregation in buckets_path must be a multi-bucket aggregation for aggregation [${pipeline.name}] found :${kinds.get(firstName(wrong))} for buckets path: ${wrong}`,
    ],
    pipeline.at,
  );
};

/** Each pipeline after those whose answers it reads; what cuts or sorts buckets after all that adds to them. */
const inOrder = (pipelines: readonly PipelineAggregation[]): PipelineAggregation[] => {
  const byName = new Map(pipelines.map((pipeline) => [pipeline.name, pipeline]));
  const done = new Set<PipelineAggregation>();
  const visit = (pipeline: PipelineAggregation, above: readonly PipelineAggregation[]) => {
    if (done.has(pipeline)) return;
    if (above.includes(pipeline)) throw invalidPipelines([`cyclic reference through [${pipeline.name}]`], pipeline.at);
    for (const name of reads(pipeline)) {
      const needed = byName.get(name) ?? byName.get(withoutProperty(name));
      if (needed !== undefined && needed !== pipeline) visit(needed, [...above, pipeline]);
    }
    done.add(pipeline);
  };
  for (const pipeline of pipelines) visit(pipeline, []);
  return [...done];
};

const plannedPipeline = (pipeline: PipelineAggregation): PlannedPipeline => {
  const { name, meta, kind } = pipeline;
  if (places[kind] !== 'beside') return { name, across: acrossOf(pipeline as ParentPipeline) };
  const own = meta === undefined ? {} : { meta };
  return { name, beside: (answers) => ({ ...own, ...besides(pipeline as SiblingPipeline, answers) }) };
};

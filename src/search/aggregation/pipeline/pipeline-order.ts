import { invalidPipelines } from '#search/search-failure.js';
import type { Aggregation } from '../aggregation.js';
import { stepName, stepsBeside } from './path.js';
import type { PipelineAggregation } from './pipeline.js';

/** Allowed position of each pipeline: in consecutive buckets, in any buckets, or beside them. */
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

/** Aggregations with any number of buckets, which sibling pipelines can read. */
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

/** Whether an aggregation reads the answers of others. */
export const isPipeline = (aggregation: Aggregation): aggregation is PipelineAggregation =>
  Object.hasOwn(places, aggregation.kind);

/** Whether a pipeline is beside the buckets that it reads. */
export const standsBeside = ({ kind }: PipelineAggregation): boolean => places[kind] === 'beside';

/**
 * Checks the position and the paths of all pipelines in a tree, before anything else is known of it.
 * @throws SearchFailure for an invalid position, or a path that leads nowhere
 */
export const checkPipelines = (aggregations: readonly Aggregation[], around?: Aggregation): void => {
  const named = new Map(aggregations.map((aggregation) => [aggregation.name, aggregation]));
  for (const aggregation of aggregations) {
    if (isPipeline(aggregation)) check(aggregation, named, around);
    else checkPipelines(childrenOf(aggregation), aggregation);
  }
  inOrder(aggregations.filter(isPipeline));
};

const childrenOf = (aggregation: Aggregation): readonly Aggregation[] =>
  'children' in aggregation ? aggregation.children : [];

const needsSequence = 'must have a histogram, date_histogram or auto_date_histogram as parent';

type Named = ReadonlyMap<string, Aggregation>;

const check = (pipeline: PipelineAggregation, named: Named, around: Aggregation | undefined): void => {
  const { kind, name, at } = pipeline;
  const place = places[kind];
  if (place === 'sequence' && around === undefined) {
    throw invalidPipelines([`${kind} aggregation [${name}] ${needsSequence} but doesn't have a parent`], at);
  }
  if (place !== 'beside' && (around === undefined || oneBucket.has(around.kind))) {
    throw invalidPipelines([`${kind} aggregation [${name}] must be declared inside of another aggregation`], at);
  }
  if (place === 'sequence' && !sequences.has(around!.kind)) {
    throw invalidPipelines([`${kind} aggregation [${name}] ${needsSequence}`], at);
  }
  if (place === 'sequence' && 'minDocCount' in around! && around.minDocCount !== 0) {
    throw invalidPipelines([`parent histogram of ${kind} aggregation [${name}] must have min_doc_count of 0`], at);
  }
  const unknown = pathsOf(pipeline).flatMap((path) => unknownIn(path, named) ?? []);
  if (unknown.length > 0) throw invalidPipelines(unknown, at);
  if (doesNothing(pipeline))
    throw invalidPipelines(
      [`[${name}] is configured to perform nothing. Please set either of [sort, size, from] to use bucket_sort`],
      at,
    );
  if (place === 'beside') requireBuckets(pipeline, named);
};

const doesNothing = (pipeline: PipelineAggregation): boolean =>
  pipeline.kind === 'bucket_sort' && pipeline.sort.length === 0 && pipeline.size === undefined && pipeline.from === 0;

/**
 * Returns the error of a path, or undefined. Each step names an aggregation inside the previous one; the last may be a
 * pipeline.
 */
const unknownIn = (path: string, named: Named): string | undefined => {
  const [first = '', ...steps] = path.split('>').map((step) => step.trim());
  if (path === '_count' || path === '_key') return undefined;
  let at = named.get(first) ?? named.get(stepName(first));
  if (at === undefined) return `No aggregation found for path [${path}]`;
  if (isPipeline(at)) return undefined;
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1;
    if (isLast && (step === '_count' || step.toLowerCase() === '_key')) return undefined;
    const inside: readonly Aggregation[] = childrenOf(at);
    const next: Aggregation | undefined =
      inside.find(({ name }) => name === step) ?? inside.find(({ name }) => name === stepName(step));
    if (next === undefined || (!isLast && isPipeline(next)))
      return `No aggregation [${stepName(step)}] found for path [${path}]`;
    at = next;
  }
  return undefined;
};

/** Checks that a sibling pipeline reads an aggregation with any number of buckets. */
const requireBuckets = (pipeline: PipelineAggregation, named: Named): void => {
  const firstOf = (path: string) => stepsBeside(path, (name) => named.has(name))[0]!.trim();
  const wrong = pathsOf(pipeline).find((path) => !manyBuckets.has(named.get(firstOf(path))?.kind ?? ''));
  if (wrong === undefined) return;
  if (!named.has(firstOf(wrong))) {
    const fault = firstOf(wrong).endsWith(']')
      ? `buckets_path aggregation does not exist for aggregation [${pipeline.name}]: ${wrong}`
      : `No aggregation found for path [${wrong}]`;
    throw invalidPipelines([fault], pipeline.at);
  }
  throw invalidPipelines(
    [
      `The first aggregation in buckets_path must be a multi-bucket aggregation for aggregation [${pipeline.name}] found :${named.get(firstOf(wrong))?.kind} for buckets path: ${wrong}`,
    ],
    pipeline.at,
  );
};

const pathsOf = (pipeline: PipelineAggregation): string[] => {
  if ('paths' in pipeline) return Object.values(pipeline.paths);
  return 'path' in pipeline ? [pipeline.path] : pipeline.sort.map(({ path }) => path);
};

const firstName = (path: string): string => {
  const [step = ''] = path.split('>');
  return step.trim();
};

/**
 * Sorts pipelines so that each comes after those whose answers it reads, and pipelines that remove or sort buckets
 * after all that add to them.
 */
export const inOrder = (pipelines: readonly PipelineAggregation[]): PipelineAggregation[] => {
  const byName = new Map(pipelines.map((pipeline) => [pipeline.name, pipeline]));
  const done = new Set<PipelineAggregation>();
  const visit = (pipeline: PipelineAggregation, above: readonly PipelineAggregation[]) => {
    if (done.has(pipeline)) return;
    if (above.includes(pipeline)) throw invalidPipelines([`cyclic reference through [${pipeline.name}]`], pipeline.at);
    for (const name of pathsOf(pipeline).map(firstName)) {
      const needed = byName.get(name) ?? byName.get(stepName(name));
      if (needed !== undefined && needed !== pipeline) visit(needed, [...above, pipeline]);
    }
    done.add(pipeline);
  };
  for (const pipeline of pipelines) visit(pipeline, []);
  return [...done];
};

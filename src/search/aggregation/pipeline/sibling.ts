import { type Awaitable, chain, type Pace } from '#search/pace.js';
import { illegalArgument, WrongKind } from '#search/search-failure.js';
import { flag, inNumbers, kindOf, number, type Read } from '#search/syntax/value.js';
import { type Answer, hiddenKey } from '../aggregation-answer.js';
import type { Node } from '../aggregation-node.js';
import { javaDouble, withText } from '../format.js';
import { defaultPercents } from '../percentiles.js';
import { beyondAsText, extendedOf, momentsOfAll, statisticsOf, withTexts } from '../statistics.js';
import { printFor } from './across.js';
import { nothingMore, type PathOptions, pathPipeline } from './option.js';
import { bucketsAt, isAbsent, valueAt } from './path.js';
import type { SiblingPipeline } from './pipeline.js';

/** Builds the answer of a pipeline with a single number. */
const oneValue = (pipeline: PathOptions, value: number | null): Answer => withText(value, printFor(pipeline));

/** Builds the answer of an extreme value, with the keys of the buckets that have it. */
const extremeValue = (
  pipeline: PathOptions,
  value: number | null,
  values: readonly number[],
  keys: readonly unknown[],
): Answer => ({
  ...oneValue(pipeline, value),
  keys: keys.filter((_, index) => values[index] === value),
});

/** The mean of a value over buckets. */
export interface AvgBucket extends Node<'avg_bucket'>, PathOptions {}

export const avgBucket = pathPipeline('avg_bucket', {}, nothingMore);

const avgBucketOf = (pipeline: AvgBucket, values: readonly number[]): Answer =>
  oneValue(pipeline, statisticsOf(momentsOfAll(values)).avg);

/** The sum of a value over buckets. */
export interface SumBucket extends Node<'sum_bucket'>, PathOptions {}

export const sumBucket = pathPipeline('sum_bucket', {}, nothingMore);

const sumBucketOf = (pipeline: SumBucket, values: readonly number[]): Answer =>
  oneValue(pipeline, momentsOfAll(values).sum);

/** The smallest value of buckets, with the keys of those that have it. */
export interface MinBucket extends Node<'min_bucket'>, PathOptions {}

export const minBucket = pathPipeline('min_bucket', {}, nothingMore);

const minBucketOf = (pipeline: MinBucket, values: readonly number[], keys: readonly unknown[]): Answer =>
  extremeValue(pipeline, momentsOfAll(values).min, values, keys);

/** The largest value of buckets, with the keys of those that have it. */
export interface MaxBucket extends Node<'max_bucket'>, PathOptions {}

export const maxBucket = pathPipeline('max_bucket', {}, nothingMore);

const maxBucketOf = (pipeline: MaxBucket, values: readonly number[], keys: readonly unknown[]): Answer =>
  extremeValue(pipeline, momentsOfAll(values).max, values, keys);

/** Count, minimum, maximum, mean and sum of a value over buckets. */
export interface StatsBucket extends Node<'stats_bucket'>, PathOptions {}

export const statsBucket = pathPipeline('stats_bucket', {}, nothingMore);

const statsBucketOf = (pipeline: StatsBucket, values: readonly number[]): Answer =>
  beyondAsText(withTexts({ ...statisticsOf(momentsOfAll(values)) }, printFor(pipeline)));

/** Statistics of a value over buckets, with variance and deviation. */
export interface ExtendedStatsBucket extends Node<'extended_stats_bucket'>, PathOptions {
  readonly sigma: number;
}

export const extendedStatsBucket = pathPipeline('extended_stats_bucket', { sigma: number }, ({ sigma = 2 }, at) => {
  if (sigma < 0) throw illegalArgument('sigma must be a non-negative double', at);
  return { sigma };
});

const extendedStatsBucketOf = (pipeline: ExtendedStatsBucket, values: readonly number[]): Answer =>
  beyondAsText(withTexts(extendedOf(momentsOfAll(values), pipeline.sigma), printFor(pipeline)));

/** Percentiles of a value over buckets. */
export interface PercentilesBucket extends Node<'percentiles_bucket'>, PathOptions {
  readonly percents: readonly number[];
  readonly keyed: boolean;
}

const percentList: Read<number[]> = (input) => {
  if (!input.isArray) throw new WrongKind('[percents] must be a list', input, kindOf(input));
  const percents = input.items().map(inNumbers);
  if (percents.some((percent) => percent < 0 || percent > 100))
    throw illegalArgument('percents must only contain non-null doubles from 0.0-100.0 inclusive', input);
  return percents;
};

const strictFlag: Read<boolean> = (input) => {
  if (input.node.kind !== 'literal') throw new WrongKind('[keyed] must be true or false', input, kindOf(input));
  return flag(input);
};

export const percentilesBucket = pathPipeline(
  'percentiles_bucket',
  { percents: percentList, keyed: strictFlag },
  ({ percents, keyed }) => ({ percents: percents ?? defaultPercents, keyed: keyed ?? true }),
);

const percentilesBucketOf = ({ percents, keyed }: PercentilesBucket, values: readonly number[]): Answer => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (percent: number) =>
    sorted.length === 0 ? null : sorted[Math.round((percent / 100) * (sorted.length - 1))]!;
  if (!keyed) return { values: percents.map((key) => ({ key, value: at(key) })) };
  return { values: Object.fromEntries(percents.map((percent) => [javaDouble(percent), at(percent)])) };
};

type Compute<P extends SiblingPipeline> = (pipeline: P, values: readonly number[], keys: readonly unknown[]) => Answer;

const compute: { [K in SiblingPipeline['kind']]: Compute<Extract<SiblingPipeline, { kind: K }>> } = {
  avg_bucket: avgBucketOf,
  sum_bucket: sumBucketOf,
  min_bucket: minBucketOf,
  max_bucket: maxBucketOf,
  stats_bucket: statsBucketOf,
  extended_stats_bucket: extendedStatsBucketOf,
  percentiles_bucket: percentilesBucketOf,
};

/** Computes a sibling pipeline. It omits buckets without a value. */
export const besides = (
  pipeline: SiblingPipeline,
  answers: Answer,
  { answered, pace }: { answered(count: number): void; pace: Pace },
): Awaitable<Answer> => {
  const { buckets, inner } = bucketsAt(answers, pipeline.path);
  answered(buckets.length);
  const valued = pace.map(buckets, (bucket) => {
    // This is read first, because a path that leads to no number is an error even for absent buckets.
    const value = valueAt(bucket, inner, pipeline.zeros);
    return {
      // An absent answer is not a gap to fill.
      value: isAbsent(bucket, inner) ? Number.NaN : value,
      key: bucket['key_as_string'] ?? bucket[hiddenKey] ?? textOf(bucket['key']),
    };
  });
  return chain(valued, (all) => {
    const found = all.filter(({ value }) => !Number.isNaN(value));
    return (compute[pipeline.kind] as Compute<SiblingPipeline>)(
      pipeline,
      found.map(({ value }) => value),
      found.map(({ key }) => key),
    );
  });
};

const textOf = (key: unknown): unknown => (typeof key === 'number' ? `${key}` : key);

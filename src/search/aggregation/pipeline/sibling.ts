import { type Awaitable, chain, type Pace } from '../../pace.js';
import { type Answer, hiddenKey } from '../answer.js';
import { javaDouble, printOf, withText } from '../format.js';
import type { SiblingPipeline } from '../pipeline-node.js';
import { extendedOf, momentsOfAll, statisticsOf, withTexts } from '../statistics.js';
import { bucketsAt, isAbsent, valueAt } from './path.js';

type Of<K extends SiblingPipeline['kind']> = Extract<SiblingPipeline, { kind: K }>;
type Compute = {
  [K in SiblingPipeline['kind']]: (pipeline: Of<K>, values: readonly number[], keys: readonly unknown[]) => Answer;
};

const compute: Compute = {
  avg_bucket: (pipeline, values) => valued(pipeline, statisticsOf(momentsOfAll(values)).avg),
  sum_bucket: (pipeline, values) => valued(pipeline, momentsOfAll(values).sum),
  min_bucket: (pipeline, values, keys) => extreme(pipeline, momentsOfAll(values).min, values, keys),
  max_bucket: (pipeline, values, keys) => extreme(pipeline, momentsOfAll(values).max, values, keys),
  stats_bucket: ({ format }, values) =>
    withTexts({ ...statisticsOf(momentsOfAll(values)) }, printOf(undefined, format)),
  extended_stats_bucket: ({ format, sigma }, values) =>
    withTexts(extendedOf(momentsOfAll(values), sigma), printOf(undefined, format)),
  percentiles_bucket: ({ percents, keyed }, values) => {
    const sorted = [...values].sort((a, b) => a - b);
    const at = (percent: number) =>
      sorted.length === 0 ? null : sorted[Math.round((percent / 100) * (sorted.length - 1))]!;
    if (!keyed) return { values: percents.map((key) => ({ key, value: at(key) })) };
    return { values: Object.fromEntries(percents.map((percent) => [javaDouble(percent), at(percent)])) };
  },
};

const valued = ({ format }: SiblingPipeline, value: number | null): Answer =>
  withText(value, printOf(undefined, format));

const extreme = (
  pipeline: SiblingPipeline,
  value: number | null,
  values: readonly number[],
  keys: readonly unknown[],
): Answer => ({
  ...valued(pipeline, value),
  keys: keys.filter((_, index) => values[index] === value),
});

/** What a pipeline answers about the buckets beside it. Buckets without a value are left out. */
export const besides = (
  pipeline: SiblingPipeline,
  answers: Answer,
  { answered, pace }: { answered(count: number): void; pace: Pace },
): Awaitable<Answer> => {
  const { buckets, inner } = bucketsAt(answers, pipeline.path);
  answered(buckets.length);
  const valued = pace.map(buckets, (bucket) => {
    // Read first: a path that leads to no number is a fault also where nothing is there.
    const value = valueAt(bucket, inner, pipeline.zeros);
    return {
      // What is not there at all is no gap to fill.
      value: isAbsent(bucket, inner) ? Number.NaN : value,
      key: bucket['key_as_string'] ?? bucket[hiddenKey] ?? textOf(bucket['key']),
    };
  });
  return chain(valued, (all) => {
    const found = all.filter(({ value }) => !Number.isNaN(value));
    const answer = compute[pipeline.kind] as ComputeOne;
    return answer(
      pipeline,
      found.map(({ value }) => value),
      found.map(({ key }) => key),
    );
  });
};

type ComputeOne = (pipeline: SiblingPipeline, values: readonly number[], keys: readonly unknown[]) => Answer;

const textOf = (key: unknown): unknown => (typeof key === 'number' ? `${key}` : key);

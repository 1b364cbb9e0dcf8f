import { illegalArgument, WrongKind } from '../../failure.js';
import { flag, inNumbers, kindOf, type Read } from '../../syntax/value.js';
import type { Answer } from '../answer.js';
import { javaDouble } from '../format.js';
import type { Node } from '../node.js';
import { defaultPercents } from '../option/percent.js';
import { type PathOptions, pathPipeline } from './option.js';

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

export const percentilesBucketOf = ({ percents, keyed }: PercentilesBucket, values: readonly number[]): Answer => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (percent: number) =>
    sorted.length === 0 ? null : sorted[Math.round((percent / 100) * (sorted.length - 1))]!;
  if (!keyed) return { values: percents.map((key) => ({ key, value: at(key) })) };
  return { values: Object.fromEntries(percents.map((percent) => [javaDouble(percent), at(percent)])) };
};

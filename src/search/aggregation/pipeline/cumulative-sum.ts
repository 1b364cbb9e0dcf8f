import { withText } from '../format.js';
import type { Node } from '../node.js';
import { type Across, type Limits, printFor, put } from './across.js';
import { byTable, nothingMore, type PathOptions, pathPipeline } from './option.js';
import { valueAt } from './path.js';

/** The sum of a value over all buckets so far. */
export interface CumulativeSum extends Node<'cumulative_sum'>, PathOptions {}

export const cumulativeSum = pathPipeline('cumulative_sum', {}, nothingMore, byTable('buckets_path'));

export const cumulativeSumOf = (pipeline: CumulativeSum, { pace }: Limits): Across => {
  const print = printFor(pipeline);
  return (buckets) => {
    let sum = 0;
    return pace.map(buckets, (bucket) => {
      const value = valueAt(bucket, pipeline.path, pipeline.zeros);
      if (Number.isFinite(value)) sum += value;
      return put(bucket, pipeline.name, withText(sum, print));
    });
  };
};

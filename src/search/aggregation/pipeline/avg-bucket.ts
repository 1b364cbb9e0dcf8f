import type { Answer } from '../answer.js';
import type { Node } from '../node.js';
import { momentsOfAll, statisticsOf } from '../statistics.js';
import { oneValue } from './one-value.js';
import { nothingMore, type PathOptions, pathPipeline } from './option.js';

/** The mean of a value over buckets. */
export interface AvgBucket extends Node<'avg_bucket'>, PathOptions {}

export const avgBucket = pathPipeline('avg_bucket', {}, nothingMore);

export const avgBucketOf = (pipeline: AvgBucket, values: readonly number[]): Answer =>
  oneValue(pipeline, statisticsOf(momentsOfAll(values)).avg);

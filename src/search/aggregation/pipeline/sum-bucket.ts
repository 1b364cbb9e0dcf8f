import type { Answer } from '../answer.js';
import type { Node } from '../node.js';
import { momentsOfAll } from '../statistics.js';
import { oneValue } from './one-value.js';
import { nothingMore, type PathOptions, pathPipeline } from './option.js';

/** The sum of a value over buckets. */
export interface SumBucket extends Node<'sum_bucket'>, PathOptions {}

export const sumBucket = pathPipeline('sum_bucket', {}, nothingMore);

export const sumBucketOf = (pipeline: SumBucket, values: readonly number[]): Answer =>
  oneValue(pipeline, momentsOfAll(values).sum);

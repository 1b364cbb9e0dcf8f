import type { Answer } from '../answer.js';
import type { Node } from '../node.js';
import { momentsOfAll } from '../statistics.js';
import { extremeValue } from './one-value.js';
import { nothingMore, type PathOptions, pathPipeline } from './option.js';

/** The largest value of buckets, with the keys of those that have it. */
export interface MaxBucket extends Node<'max_bucket'>, PathOptions {}

export const maxBucket = pathPipeline('max_bucket', {}, nothingMore);

export const maxBucketOf = (pipeline: MaxBucket, values: readonly number[], keys: readonly unknown[]): Answer =>
  extremeValue(pipeline, momentsOfAll(values).max, values, keys);

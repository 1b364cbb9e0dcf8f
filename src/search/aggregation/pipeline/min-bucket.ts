import type { Answer } from '../answer.js';
import type { Node } from '../node.js';
import { momentsOfAll } from '../statistics.js';
import { extremeValue } from './one-value.js';
import { nothingMore, type PathOptions, pathPipeline } from './option.js';

/** The smallest value of buckets, with the keys of those that have it. */
export interface MinBucket extends Node<'min_bucket'>, PathOptions {}

export const minBucket = pathPipeline('min_bucket', {}, nothingMore);

export const minBucketOf = (pipeline: MinBucket, values: readonly number[], keys: readonly unknown[]): Answer =>
  extremeValue(pipeline, momentsOfAll(values).min, values, keys);

import type { Answer } from '../answer.js';
import type { Node } from '../node.js';
import { beyondAsText, momentsOfAll, statisticsOf, withTexts } from '../statistics.js';
import { printFor } from './across.js';
import { nothingMore, type PathOptions, pathPipeline } from './option.js';

/** Count, minimum, maximum, mean and sum of a value over buckets. */
export interface StatsBucket extends Node<'stats_bucket'>, PathOptions {}

export const statsBucket = pathPipeline('stats_bucket', {}, nothingMore);

export const statsBucketOf = (pipeline: StatsBucket, values: readonly number[]): Answer =>
  beyondAsText(withTexts({ ...statisticsOf(momentsOfAll(values)) }, printFor(pipeline)));

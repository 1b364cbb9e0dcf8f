import { illegalArgument } from '../../failure.js';
import { number } from '../../syntax/value.js';
import type { Answer } from '../answer.js';
import type { Node } from '../node.js';
import { beyondAsText, extendedOf, momentsOfAll, withTexts } from '../statistics.js';
import { printFor } from './across.js';
import { type PathOptions, pathPipeline } from './option.js';

/** Statistics of a value over buckets, with variance and deviation. */
export interface ExtendedStatsBucket extends Node<'extended_stats_bucket'>, PathOptions {
  readonly sigma: number;
}

export const extendedStatsBucket = pathPipeline('extended_stats_bucket', { sigma: number }, ({ sigma = 2 }, at) => {
  if (sigma < 0) throw illegalArgument('sigma must be a non-negative double', at);
  return { sigma };
});

export const extendedStatsBucketOf = (pipeline: ExtendedStatsBucket, values: readonly number[]): Answer =>
  beyondAsText(withTexts(extendedOf(momentsOfAll(values), pipeline.sigma), printFor(pipeline)));

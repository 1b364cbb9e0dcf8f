import { type Answer } from '../answer.js';
import { withText } from '../format.js';
import { printFor } from './across.js';
import type { PathOptions } from './option.js';

/** Builds the answer of a pipeline with a single number. */
export const oneValue = (pipeline: PathOptions, value: number | null): Answer => withText(value, printFor(pipeline));

/** Builds the answer of an extreme value, with the keys of the buckets that have it. */
export const extremeValue = (
  pipeline: PathOptions,
  value: number | null,
  values: readonly number[],
  keys: readonly unknown[],
): Answer => ({
  ...oneValue(pipeline, value),
  keys: keys.filter((_, index) => values[index] === value),
});

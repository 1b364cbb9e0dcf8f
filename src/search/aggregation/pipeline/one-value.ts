import { type Answer } from '../answer.js';
import { withText } from '../format.js';
import { printFor } from './across.js';
import type { PathOptions } from './option.js';

/** The answer of a pipeline that is one number. */
export const oneValue = (pipeline: PathOptions, value: number | null): Answer => withText(value, printFor(pipeline));

/** The same of a number that some of the buckets have, with their keys. */
export const extremeValue = (
  pipeline: PathOptions,
  value: number | null,
  values: readonly number[],
  keys: readonly unknown[],
): Answer => ({
  ...oneValue(pipeline, value),
  keys: keys.filter((_, index) => values[index] === value),
});

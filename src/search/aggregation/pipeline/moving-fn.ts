import { illegalArgument } from '../../failure.js';
import { chain } from '../../pace.js';
import { integer, type Read } from '../../syntax/value.js';
import { withText } from '../format.js';
import type { Node } from '../node.js';
import { type Across, finite, type Limits, printFor, put } from './across.js';
import { movingFunction } from './moving-function.js';
import { byTable, type PathOptions, pathPipeline } from './option.js';
import { valueAt } from './path.js';
import { scriptText } from './script-option.js';

/** A function of the values of the previous buckets. */
export interface MovingFn extends Node<'moving_fn'>, PathOptions {
  /** Number of buckets in the window, and its shift to the right. */
  readonly window: number;
  readonly shift: number;
  readonly script: string;
}

const windowOf: Read<number> = (input) => {
  const window = integer(input);
  if (window > 0) return window;
  throw illegalArgument('[window] must be a positive, non-zero integer.', input);
};

export const movingFn = pathPipeline(
  'moving_fn',
  { window: windowOf, shift: integer, script: scriptText },
  ({ window, shift, script }) => ({ window: window!, shift: shift ?? 0, script: script! }),
  byTable('buckets_path', 'script', 'window'),
);

export const movingFnOf = (pipeline: MovingFn, { pace, windowed }: Limits): Across => {
  const { name, path, zeros, window, shift, script, at } = pipeline;
  const apply = movingFunction(script, at);
  const print = printFor(pipeline);
  return (buckets) =>
    chain(
      pace.map(buckets, (bucket) => valueAt(bucket, path, zeros)),
      (values) => {
        const numbers = values.filter((value) => !Number.isNaN(value));
        windowed(numbers.length * Math.min(window, numbers.length), at);
        const clamp = (index: number) => Math.max(0, Math.min(numbers.length, index));
        let index = 0;
        return pace.map(buckets.entries(), ([bucketIndex, bucket]) => {
          if (Number.isNaN(values[bucketIndex]!)) return bucket;
          const result = apply(numbers.slice(clamp(index - window + shift), clamp(index + shift)));
          index += 1;
          return put(bucket, name, withText(finite(result), print));
        });
      },
    );
};

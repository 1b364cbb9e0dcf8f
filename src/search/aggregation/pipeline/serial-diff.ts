import { parsing } from '../../failure.js';
import { integer, kindOf, type Read } from '../../syntax/value.js';
import { withText } from '../format.js';
import type { Node } from '../node.js';
import { type Across, type Limits, printFor, put } from './across.js';
import { type PathOptions, pathPipeline } from './option.js';
import { valueAt } from './path.js';

/** The difference of a value from that of an earlier bucket. */
export interface SerialDiff extends Node<'serial_diff'>, PathOptions {
  readonly lag: number;
}

const lagOf: Read<number> = (input) => {
  if (input.node.kind !== 'number') throw parsing(`Unknown key for a ${kindOf(input)} in [${input.key}]`, input);
  const lag = integer(input);
  if (lag <= 0) throw parsing(`Lag must be a positive, non-zero integer.  Value supplied was${lag}`, input);
  return lag;
};

export const serialDiff = pathPipeline('serial_diff', { lag: lagOf }, ({ lag }) => ({ lag: lag ?? 1 }));

export const serialDiffOf = (pipeline: SerialDiff, { pace }: Limits): Across => {
  const { name, path, zeros, lag } = pipeline;
  const print = printFor(pipeline);
  return (buckets) =>
    pace.map(buckets.entries(), ([index, bucket]) => {
      const before = buckets[index - lag];
      const value = valueAt(bucket, path, zeros);
      const change = before === undefined ? Number.NaN : value - valueAt(before, path, zeros);
      return Number.isNaN(change) ? bucket : put(bucket, name, withText(change, print));
    });
};

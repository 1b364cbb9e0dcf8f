import type { Input } from '#search/syntax/input.js';
import { object } from '#search/syntax/object.js';
import { atLeast, flag, long, type Read, scalar } from '#search/syntax/value.js';
import type { FieldOptions } from '../aggregation-node.js';
import { type BucketOrder, bucketOrder } from './bucket-order.js';

export interface HistogramBounds {
  readonly min?: Input;
  readonly max?: Input;
}

/** Common options of histograms. */
export interface HistogramOptions extends FieldOptions {
  readonly keyed: boolean;
  readonly minDocCount: number;
  readonly extendedBounds?: HistogramBounds;
  readonly hardBounds?: HistogramBounds;
  readonly order: readonly BucketOrder[];
}

/** Parses the bounds of a histogram. */
export const bounds: Read<HistogramBounds> = (input) => {
  const { min, max } = object('bounds', { min: scalar, max: scalar })(input);
  return { ...(min && !min.isNull && { min }), ...(max && !max.isNull && { max }) };
};

export const histogramKeys = {
  keyed: flag,
  min_doc_count: atLeast(0, long),
  extended_bounds: bounds,
  hard_bounds: bounds,
  order: bucketOrder,
} as const;

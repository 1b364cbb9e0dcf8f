import { illegalArgument } from '../../failure.js';
import type { Input } from '../../syntax/input.js';
import { object } from '../../syntax/object.js';
import { atLeast, flag, isNumber, type Read, scalar, scalarText } from '../../syntax/value.js';
import type { FieldOptions } from '../node.js';
import { type BucketOrder, bucketOrder } from './bucket-order.js';

/** The bounds that a histogram is stretched or cut to. */
export interface HistogramBounds {
  readonly min?: Input;
  readonly max?: Input;
}

/** What histograms have in common. */
export interface HistogramOptions extends FieldOptions {
  readonly keyed: boolean;
  readonly minDocCount: number;
  readonly extendedBounds?: HistogramBounds;
  readonly hardBounds?: HistogramBounds;
  readonly order: readonly BucketOrder[];
}

/** Reads the bounds of a histogram. */
export const bounds: Read<HistogramBounds> = (input) => {
  const { min, max } = object('bounds', { min: scalar, max: scalar })(input);
  return { ...(min && !min.isNull && { min }), ...(max && !max.isNull && { max }) };
};

/** A long, which the engines read otherwise than an integer. */
const longCount: Read<number> = (input) => {
  const given = scalarText(input) ?? '';
  if (input.node.kind === 'string' && !isNumber(given)) throw illegalArgument(`For input string: "${given}"`, input);
  return atLeast(0)(input);
};

export const histogramKeys = {
  keyed: flag,
  min_doc_count: longCount,
  extended_bounds: bounds,
  hard_bounds: bounds,
  order: bucketOrder,
} as const;

import { object } from '../syntax/object.js';
import { framed, type ParseAggregation } from './frame.js';
import type { BucketNode, FieldOptions } from './node.js';
import { fieldOptions, valueSource } from './option/value-source.js';

/** One bucket, of the records without a value. */
export interface MissingAggregation extends BucketNode<'missing'>, FieldOptions {}

export const missing: ParseAggregation = (at, frame) => ({
  kind: 'missing',
  ...framed(frame, at),
  ...fieldOptions(object('missing', valueSource)(at), at),
});

import { object } from '../syntax/object.js';
import { named, type ParseAggregation } from './frame.js';
import type { FieldOptions, Node } from './node.js';
import { fieldOptions, valueSource } from './option/value-source.js';

/** One bucket of the records without a value. */
export interface MissingAggregation extends Node<'missing'>, FieldOptions {}

export const missing: ParseAggregation<MissingAggregation> = (at, frame) => ({
  kind: 'missing',
  ...named(frame, at),
  ...fieldOptions(object('missing', valueSource)(at), at),
});

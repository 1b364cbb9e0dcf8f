import { object } from '../syntax/object.js';
import { flag } from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { FieldOptions, Node } from './node.js';
import { fieldOptions, unformatted } from './option/value-source.js';

/** The smallest box around all locations. */
export interface GeoBoundsMetric extends Node<'geo_bounds'>, FieldOptions {
  /** Whether bounds may cross the meridian of 180 degrees. */
  readonly wraps: boolean;
}

export const geoBounds: ParseAggregation<GeoBoundsMetric> = (at, frame) => {
  const options = object('geo_bounds', { ...unformatted, wrap_longitude: flag })(at);
  return {
    kind: 'geo_bounds',
    ...named(frame, at),
    ...fieldOptions(options, at),
    wraps: options.wrap_longitude ?? true,
  };
};

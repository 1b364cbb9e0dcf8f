import { object } from '../syntax/object.js';
import { named, type ParseAggregation } from './frame.js';
import type { FieldOptions, Node } from './node.js';
import { fieldOptions, unformatted } from './option/value-source.js';

/** The mean of all locations. */
export interface GeoCentroidMetric extends Node<'geo_centroid'>, FieldOptions {}

export const geoCentroid: ParseAggregation<GeoCentroidMetric> = (at, frame) => ({
  kind: 'geo_centroid',
  ...named(frame, at),
  ...fieldOptions(object('geo_centroid', unformatted)(at), at),
});

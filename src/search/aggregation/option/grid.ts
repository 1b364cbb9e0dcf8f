import { illegalArgument } from '../../failure.js';
import type { Input } from '../../syntax/input.js';
import { object } from '../../syntax/object.js';
import { atLeast, integer } from '../../syntax/value.js';
import { named, type ParseAggregation } from '../frame.js';
import type { FieldOptions, Node } from '../node.js';
import { fieldOptions, valueSource } from './value-source.js';

/** A bucket for each cell of a grid over the Earth. */
export interface GridAggregation extends Node<'geohash_grid' | 'geotile_grid'>, FieldOptions {
  readonly precision: number;
  readonly size: number;
}

/** Range and default of a grid's precision. */
interface Precisions {
  readonly byDefault: number;
  readonly min: number;
  readonly max: number;
}

/** Creates the parser of a grid. */
export const grid =
  (kind: 'geohash_grid' | 'geotile_grid', { byDefault, min, max }: Precisions): ParseAggregation<GridAggregation> =>
  (at, frame) => {
    const options = object(kind, {
      ...valueSource,
      precision: integer,
      size: atLeast(1),
      shard_size: atLeast(1),
      bounds: refuseBounds,
    })(at);
    const precision = options.precision ?? byDefault;
    if (precision < min || precision > max) {
      throw illegalArgument(
        `Invalid ${kind} aggregation precision of ${precision}. Must be between ${min} and ${max}.`,
        at,
      );
    }
    return { kind, ...named(frame, at), ...fieldOptions(options, at), precision, size: options.size ?? 10_000 };
  };

function refuseBounds(at: Input): never {
  throw illegalArgument('[bounds] of a grid are not supported; filter by geo_bounding_box', at);
}

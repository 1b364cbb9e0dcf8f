import sql from 'sql-template-tag';
import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { GeoDistanceAggregation } from '../../../../search/aggregation/geo-distance.js';
import { none } from '../../../../search/query/predicate.js';
import { distancesOf, within } from '../../../answer/range.js';
import { distance } from '../sql/geo.js';
import type { StoredField } from '../sql/stored-field.js';
import { rangeBuckets } from './bucket/range-bucket.js';
import type { Planned, Stage } from './bucket/stage.js';
import { pointOrMissing } from './value/missing-value.js';

/** Plans a bucket for each range of distances from a location. */
export const geoDistance = (aggregation: WithChildren<GeoDistanceAggregation>, stage: Stage): Planned => {
  const { at, origin, unitMetres, ranges } = aggregation;
  const field = pointOrMissing('geo_distance', aggregation, at, stage);
  const away =
    field &&
    !Number.isNaN(origin.lat) &&
    ({
      ...field,
      kind: 'double',
      valueType: 'double',
      value: sql`(${distance(field, origin)} / ${unitMetres}::float8)`,
    } satisfies StoredField);
  return rangeBuckets(aggregation, stage, field, distancesOf(ranges), undefined, (one) =>
    away ? within(away, one) : none,
  );
};

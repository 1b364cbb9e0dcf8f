import sql, { type Sql } from 'sql-template-tag';
import type { Point } from '#search/syntax/geo-point.js';
import type { StoredField } from './stored-field.js';

/** Mean radius of the Earth in metres, with the value that OpenSearch uses. */
export const earthRadius = 6_371_008.7714;

/** SQL expression of the great-circle distance in metres between a location in degrees and a point (haversine). */
export const greatCircle = (latitude: Sql, longitude: Sql, { lat, lon }: Point): Sql =>
  sql`2 * ${earthRadius}::float8 * asin(least(1, sqrt(power(sin(radians(${latitude} - ${lat}::float8) / 2), 2) + cos(radians(${lat}::float8)) * cos(radians(${latitude})) * power(sin(radians(${longitude} - ${lon}::float8) / 2), 2))))`;

/** SQL expression of the same distance for a field; null for a missing location. */
export const distance = (field: StoredField, point: Point): Sql =>
  sql`(case when ${field.value} is not null then ${greatCircle(field.value, field.longitude!, point)} end)`;

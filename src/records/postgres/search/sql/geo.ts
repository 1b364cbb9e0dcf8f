import sql, { type Sql } from 'sql-template-tag';
import type { Point } from '../../../../search/syntax/geo-point.js';
import type { StoredField } from './stored-field.js';

/** Mean radius of the Earth in metres, as the engines take it. */
export const earthRadius = 6_371_008.7714;

/** Metres between a place in degrees and a point along a great circle (haversine). */
export const greatCircle = (latitude: Sql, longitude: Sql, { lat, lon }: Point): Sql =>
  sql`2 * ${earthRadius}::float8 * asin(least(1, sqrt(power(sin(radians(${latitude} - ${lat}::float8) / 2), 2) + cos(radians(${lat}::float8)) * cos(radians(${latitude})) * power(sin(radians(${longitude} - ${lon}::float8) / 2), 2))))`;

/** The same of a field's place; null without one. */
export const distance = (field: StoredField, point: Point): Sql =>
  sql`(case when ${field.value} is not null then ${greatCircle(field.value, field.longitude!, point)} end)`;

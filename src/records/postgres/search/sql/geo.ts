import sql, { type Sql } from 'sql-template-tag';
import type { Point } from '../../../../search/query/predicate.js';
import type { StoredField } from './stored-field.js';

/** Mean radius of the Earth in metres, as the engines take it. */
export const earthRadius = 6_371_008.7714;

/** Metres between a field's place and a point along a great circle (haversine); null without a place. */
export const distance = (field: StoredField, { lat, lon }: Point): Sql =>
  sql`(case when ${field.value} is not null then 2 * ${earthRadius}::float8 * asin(least(1, sqrt(power(sin(radians(${field.value} - ${lat}::float8) / 2), 2) + cos(radians(${lat}::float8)) * cos(radians(${field.value})) * power(sin(radians(${field.longitude!} - ${lon}::float8) / 2), 2)))) end)`;

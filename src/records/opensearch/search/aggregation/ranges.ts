import {
  dateEnds,
  distancesOf,
  type NumericRange,
  numberEnds,
  type RangeEnds,
  rangeAnswer,
  rangePredicate,
  rangesOf,
} from '#records/answer/ranges.js';
import type { Part } from '#records/opensearch/engine.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { Print } from '#search/aggregation/format.js';
import { numberOf, unsupported } from '#search/aggregation/number-of.js';
import type { GeoDistanceAggregation, RangeAggregation } from '#search/aggregation/ranges.js';
import type { Field } from '#search/field/field.js';
import { emptyField } from '#search/field/reserved.js';
import { all, none, not, or, type Predicate } from '#search/query/predicate.js';
import { pointOf } from '#search/syntax/geo-point.js';
import { scalarText } from '#search/syntax/value.js';
import { devicesIn } from '../device-question.js';
import { locationOf } from '../device-value.js';
import { matchNone } from '../query-part.js';
import type { EngineAggregationContext, Planned } from './bucket/aggregation-context.js';
import { countOf, emptyIn, gap } from './bucket/bucket.js';
import { conditionBuckets } from './filters.js';
import { distanceBetween } from './geo.js';

/** Plans a bucket per range of a field's numbers. */
export const range = (aggregation: WithChildren<RangeAggregation>, context: EngineAggregationContext): Planned => {
  const field = fieldOrMissing(aggregation, context, 'double');
  return ofField(aggregation, context, field, numberEnds(aggregation, field, context.planning.now));
};

/** Plans a bucket per range of a field's times. */
export const dateRange = (aggregation: WithChildren<RangeAggregation>, context: EngineAggregationContext): Planned => {
  const field = fieldOrMissing(aggregation, context, 'date');
  return ofField(aggregation, context, field, dateEnds(aggregation, field, context.planning.now));
};

/** Returns the field; an empty one if only a default for missing values is known. */
const fieldOrMissing = (
  { field, at, missing }: RangeAggregation,
  context: EngineAggregationContext,
  kind: 'double' | 'date',
) => context.field(field, at) ?? (missing && emptyField(field, kind));

const ofField = (
  aggregation: WithChildren<RangeAggregation>,
  context: EngineAggregationContext,
  field: Field | undefined,
  { reading, read, print }: RangeEnds,
): Planned => {
  const missing = field && aggregation.missing && numberOf(field, aggregation.missing, reading);
  const { compiler } = context.planning;
  const predicateOf = (one: NumericRange): Predicate => {
    if (field === undefined) return none;
    const instead = missing !== undefined && missing >= one.from && missing < one.to;
    if (field.origin.kind === 'none') return instead ? all : none;
    return instead ? or([rangePredicate(field, one), not({ kind: 'exists', field })]) : rangePredicate(field, one);
  };
  const ranges = rangesOf(aggregation.ranges, read);
  return ofConditions(aggregation, context, { field, ranges, print }, (one) => compiler.part(predicateOf(one)));
};

/** Plans a bucket per range of distances from a location. */
export const geoDistance = (
  aggregation: WithChildren<GeoDistanceAggregation>,
  context: EngineAggregationContext,
): Planned => {
  const { at, origin, unitMetres, missing } = aggregation;
  const field = context.field(aggregation.field, at);
  if (field !== undefined && field.kind !== 'geo_point') throw unsupported(field, 'geo_distance', at);
  const instead = missing && pointOf(scalarText(missing) ?? '', missing);
  const isIn = (one: NumericRange, place: typeof instead) => {
    if (place === undefined || Number.isNaN(origin.lat)) return false;
    const away = distanceBetween(place, origin) / unitMetres;
    return away >= one.from && away < one.to;
  };
  const partOf = (one: NumericRange): Part => {
    if (field === undefined) return instead && isIn(one, instead) ? { match_all: {} } : matchNone;
    const devices = context.planning.deviceValues.all.filter((device) => isIn(one, locationOf(device) ?? instead));
    return devicesIn(devices.map(({ number: of }) => of));
  };
  const parts = {
    field: field ?? (instead && emptyField('', 'geo_point')),
    ranges: distancesOf(aggregation.ranges),
    print: undefined,
  };
  return ofConditions(aggregation, context, parts, partOf);
};

const ofConditions = (
  aggregation: WithChildren<RangeAggregation | GeoDistanceAggregation>,
  context: EngineAggregationContext,
  { field, ranges, print }: { field: Field | undefined; ranges: readonly NumericRange[]; print: Print },
  partOf: (range: NumericRange) => Part,
): Planned => {
  const children = context.planAll(aggregation);
  const empty = field === undefined ? () => gap : emptyIn;
  const { asked, visit, found } = conditionBuckets(ranges.map(partOf), children, context, empty);
  const answer = rangeAnswer(aggregation, { ranges, print, children, count: countOf, found }, context.planning);
  return { asked, visit, read: answer };
};

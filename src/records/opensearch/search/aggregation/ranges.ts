import {
  dateEnds,
  distancesOf,
  type NumericRange,
  numberEnds,
  type RangeEnds,
  rangeAnswer,
  rangesOf,
  within,
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
import { placeOf } from '../device-value.js';
import { matchNone } from '../query-part.js';
import { countOf, emptyIn, gap } from './bucket/bucket.js';
import type { Planned, Stage } from './bucket/stage.js';
import { conditionBuckets } from './filters.js';
import { distanceBetween } from './geo.js';

/** Plans a bucket per range of a field's numbers. */
export const range = (aggregation: WithChildren<RangeAggregation>, stage: Stage): Planned => {
  const field = fieldOrMissing(aggregation, stage, 'double');
  return ofField(aggregation, stage, field, numberEnds(aggregation, field, stage.planning.now));
};

/** Plans a bucket per range of a field's times. */
export const dateRange = (aggregation: WithChildren<RangeAggregation>, stage: Stage): Planned => {
  const field = fieldOrMissing(aggregation, stage, 'date');
  return ofField(aggregation, stage, field, dateEnds(aggregation, field, stage.planning.now));
};

/** Returns the field; an empty one if only a default for missing values is known. */
const fieldOrMissing = ({ field, at, missing }: RangeAggregation, stage: Stage, kind: 'double' | 'date') =>
  stage.field(field, at) ?? (missing && emptyField(field, kind));

const ofField = (
  aggregation: WithChildren<RangeAggregation>,
  stage: Stage,
  field: Field | undefined,
  { reading, read, print }: RangeEnds,
): Planned => {
  const missing = field && aggregation.missing && numberOf(field, aggregation.missing, reading);
  const { compiler } = stage.planning;
  const predicateOf = (one: NumericRange): Predicate => {
    if (field === undefined) return none;
    const instead = missing !== undefined && missing >= one.from && missing < one.to;
    if (field.origin.kind === 'none') return instead ? all : none;
    return instead ? or([within(field, one), not({ kind: 'exists', field })]) : within(field, one);
  };
  const ranges = rangesOf(aggregation.ranges, read);
  return ofConditions(aggregation, stage, { field, ranges, print }, (one) => compiler.part(predicateOf(one)));
};

/** Plans a bucket per range of distances from a location. */
export const geoDistance = (aggregation: WithChildren<GeoDistanceAggregation>, stage: Stage): Planned => {
  const { at, origin, unitMetres, missing } = aggregation;
  const field = stage.field(aggregation.field, at);
  if (field !== undefined && field.kind !== 'geo_point') throw unsupported(field, 'geo_distance', at);
  const instead = missing && pointOf(scalarText(missing) ?? '', missing);
  const isIn = (one: NumericRange, place: typeof instead) => {
    if (place === undefined || Number.isNaN(origin.lat)) return false;
    const away = distanceBetween(place, origin) / unitMetres;
    return away >= one.from && away < one.to;
  };
  const partOf = (one: NumericRange): Part => {
    if (field === undefined) return instead && isIn(one, instead) ? { match_all: {} } : matchNone;
    const devices = stage.planning.deviceValues.all.filter((device) => isIn(one, placeOf(device) ?? instead));
    return devicesIn(devices.map(({ number: of }) => of));
  };
  const parts = {
    field: field ?? (instead && emptyField('', 'geo_point')),
    ranges: distancesOf(aggregation.ranges),
    print: undefined,
  };
  return ofConditions(aggregation, stage, parts, partOf);
};

const ofConditions = (
  aggregation: WithChildren<RangeAggregation | GeoDistanceAggregation>,
  stage: Stage,
  { field, ranges, print }: { field: Field | undefined; ranges: readonly NumericRange[]; print: Print },
  partOf: (range: NumericRange) => Part,
): Planned => {
  const children = stage.planAll(aggregation);
  const empty = field === undefined ? () => gap : emptyIn;
  const { asked, visit, found } = conditionBuckets(ranges.map(partOf), children, stage, empty);
  const answer = rangeAnswer(aggregation, { ranges, print, children, count: countOf, found }, stage.planning);
  return { asked, visit, read: answer };
};

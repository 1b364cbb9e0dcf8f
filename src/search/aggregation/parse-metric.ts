import { illegalArgument, parsing } from '../failure.js';
import { parseSort } from '../hits/sort.js';
import { parseSourceFilter } from '../hits/source-filter.js';
import { strict } from '../query/clause.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import {
  anything,
  atLeast,
  byHand,
  flag,
  ignored,
  inNumbers,
  integer,
  listOf,
  number,
  type Read,
  scalar,
  string,
  text,
  word,
} from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { RateMetric, SimpleMetricKind } from './metric-node.js';
import { fieldOptions, formatText, namedField, refuseScript, valueSource } from './value-source.js';

const { format: _format, ...unformatted } = valueSource;

const simple =
  (kind: SimpleMetricKind): ParseAggregation =>
  (at, frame) => {
    const options = object(
      kind,
      kind === 'cardinality'
        ? { ...unformatted, precision_threshold: atLeast(0), execution_hint: string }
        : { ...valueSource, ...(kind === 'median_absolute_deviation' && { compression: positive }) },
    )(at);
    return { kind, ...named(frame, at), ...fieldOptions(options, at) };
  };

/** How exactly the engines estimate, where ours are exact. */
const positive: Read<number> = (input) => {
  const value = number(input);
  if (value > 0) return value;
  throw illegalArgument(`[${input.key}] must be greater than 0. Found [${value}]`, input);
};

const extendedStats: ParseAggregation = (at, frame) => {
  const options = object('extended_stats', { ...valueSource, sigma: number })(at);
  const sigma = options.sigma ?? 2;
  if (sigma < 0)
    throw illegalArgument(`[sigma] must be greater than or equal to 0. Found [${sigma}] in [${frame.name}]`, at);
  return { kind: 'extended_stats', ...named(frame, at), ...fieldOptions(options, at), sigma };
};

const defaultPercents = [1, 5, 25, 50, 75, 95, 99];

/** Numbers, or one alone. */
const numbers: Read<number[]> = (input) => {
  return input.isArray ? listOf(inNumbers)(input) : [number(input)];
};

/** How the engines estimate, where ours are exact. */
const digests = {
  tdigest: (input: Input) => {
    const { compression = 100 } = object('tdigest', { compression: number })(input);
    if (compression < 0)
      throw illegalArgument(`[compression] must be greater than or equal to 0. Found [${compression}]`, input);
  },
  hdr: (input: Input) => {
    const { number_of_significant_value_digits: digits = 3 } = object('hdr', {
      number_of_significant_value_digits: integer,
    })(input);
    if (digits < 0 || digits > 5)
      throw illegalArgument('[numberOfSignificantValueDigits] must be between 0 and 5', input);
  },
} as const;

const requireOneDigest = (at: Input): void => {
  if (at.get('tdigest') !== undefined && at.get('hdr') !== undefined)
    throw illegalArgument('Only one percentiles method should be declared.', at);
};

const percentiles: ParseAggregation = (at, frame) => {
  const options = object('percentiles', {
    ...valueSource,
    percents: numbers,
    keyed: flag,
    ...digests,
  })(at);
  requireOneDigest(at);
  const points = options.percents ?? defaultPercents;
  if (points.length === 0) throw illegalArgument('[percents] must not be empty', at);
  const wrong = points.find((percent) => percent < 0 || percent > 100);
  if (wrong !== undefined) throw illegalArgument(`percent must be in [0,100], got [${wrong}]: [${frame.name}]`, at);
  return {
    kind: 'percentiles',
    ...named(frame, at),
    ...fieldOptions(options, at),
    points: ascending(points),
    keyed: options.keyed ?? true,
  };
};

const percentileRanks: ParseAggregation = (at, frame) => {
  const options = object('percentile_ranks', {
    ...valueSource,
    values: numbers,
    keyed: flag,
    ...digests,
  })(at);
  requireOneDigest(at);
  const points = options.values ?? [];
  if (points.length === 0) throw illegalArgument(`[values] must not be an empty array: [${frame.name}]`, at);
  return {
    kind: 'percentile_ranks',
    ...named(frame, at),
    ...fieldOptions(options, at),
    points: ascending(points),
    keyed: options.keyed ?? true,
  };
};

const ascending = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

const weightedAvg: ParseAggregation = (at, frame) => {
  const source = (input: Input) =>
    namedField(object('weighted_avg', { field: string, missing: scalar, script: refuseScript })(input), input);
  const { value, weight, format } = object('weighted_avg', {
    value: source,
    weight: source,
    format: formatText,
    value_type: string,
  })(at);
  if (value === undefined || weight === undefined) throw illegalArgument('[value] and [weight] are required', at);
  return { kind: 'weighted_avg', ...named(frame, at), value, weight, ...(format && { format }) };
};

const maxTopHits = 100;

/** Like `read`, of a key that does not take `null`. */
const given =
  <T>(read: Read<T>): Read<T> =>
  (input) => {
    if (input.isNull) throw parsing(`Unknown key for a VALUE_NULL in [${input.key}].`, input);
    return read(input);
  };

const topHits: ParseAggregation = (at, frame) => {
  const options = strict('top_hits', {
    from: given(byHand(atLeast(0))),
    size: given(byHand(atLeast(0))),
    sort: given(parseSort),
    _source: parseSourceFilter,
    version: ignored,
    seq_no_primary_term: ignored,
    explain: ignored,
    highlight: ignored,
    track_scores: ignored,
    stored_fields: ignored,
    docvalue_fields: ignored,
    fields: ignored,
    script_fields: ignored,
  })(at);
  const [from, size] = [options.from ?? 0, options.size ?? 3];
  if (from + size === 0)
    throw illegalArgument(
      'numHits must be > 0; please use TotalHitCountCollector if you just need the total hit count',
      at,
    );
  if (from + size > maxTopHits) {
    throw illegalArgument(
      `Top hits result window is too large, the top hits aggregator [${frame.name}]'s from + size must be less than or equal to: [${maxTopHits}] but was [${from + size}].`,
      at,
    );
  }
  return {
    kind: 'top_hits',
    ...named(frame, at),
    from,
    size,
    sort: options.sort ?? [],
    source: options._source ?? { includes: [], excludes: [] },
  };
};

const topMetrics: ParseAggregation = (at, frame) => {
  const metric = object('metrics', { field: text, missing: ignored });
  const options = object('top_metrics', { metrics: listOf(metric), size: atLeast(1), sort: parseSort })(at);
  const fields = (options.metrics ?? []).flatMap(({ field }) => field ?? []);
  if (fields.length === 0) throw illegalArgument('[metrics] must name at least one field', at);
  if (options.sort?.length !== 1) throw parsing('[top_metrics] must sort by just one key', at);
  if ((options.size ?? 1) > 10) throw illegalArgument('[top_metrics.size] must not be more than [10]', at);
  return { kind: 'top_metrics', ...named(frame, at), fields, size: options.size ?? 1, sort: options.sort };
};

const rate: ParseAggregation = (at, frame): RateMetric => {
  const { field, unit, mode, format } = object('rate', {
    field: text,
    unit: anything,
    mode: word('sum', 'value_count'),
    format: anything,
    missing: ignored,
    script: refuseScript,
  })(at);
  return {
    kind: 'rate',
    ...named(frame, at),
    ...(field !== undefined && { field }),
    ...(unit && { unit }),
    countsValues: mode === 'value_count',
    ...(format && { format }),
  };
};

const geoBounds: ParseAggregation = (at, frame) => {
  const options = object('geo_bounds', { ...unformatted, wrap_longitude: flag })(at);
  return {
    kind: 'geo_bounds',
    ...named(frame, at),
    ...fieldOptions(options, at),
    wraps: options.wrap_longitude ?? true,
  };
};

const geoCentroid: ParseAggregation = (at, frame) => ({
  kind: 'geo_centroid',
  ...named(frame, at),
  ...fieldOptions(object('geo_centroid', unformatted)(at), at),
});

/** Parsers of metrics, by the name of their type. */
export const metricParsers: Readonly<Record<string, ParseAggregation>> = {
  avg: simple('avg'),
  sum: simple('sum'),
  min: simple('min'),
  max: simple('max'),
  value_count: simple('value_count'),
  cardinality: simple('cardinality'),
  stats: simple('stats'),
  median_absolute_deviation: simple('median_absolute_deviation'),
  extended_stats: extendedStats,
  percentiles,
  percentile_ranks: percentileRanks,
  weighted_avg: weightedAvg,
  top_hits: topHits,
  top_metrics: topMetrics,
  rate,
  geo_bounds: geoBounds,
  geo_centroid: geoCentroid,
};

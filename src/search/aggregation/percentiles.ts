import { illegalArgument, SearchFailure } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { doubleText, flag, inNumbers, integer, listOf, number, type Read } from '../syntax/value.js';
import { aggregationBase, type FieldOptions, type Node, type ParseAggregation } from './aggregation-node.js';
import type { SimpleMetric } from './metrics.js';
import { fieldOptions, valueSource } from './option/value-source.js';

/** Percentiles of values, or the percentile ranks of given values. */
export interface PercentilesMetric extends Node<'percentiles' | 'percentile_ranks'>, FieldOptions {
  /** Percents, or values whose ranks are computed. */
  readonly points: readonly number[];
  readonly keyed: boolean;
  /** Whether the request needs more precision than a digest with the default compression (100) has. */
  readonly finer: boolean;
}

export const defaultPercents = [1, 5, 25, 50, 75, 95, 99];

/** Creates an error that the engines raise only after they have parsed the whole aggregation. */
const notBuilt = (kind: string, reason: string, place: Input): SearchFailure =>
  new SearchFailure(
    400,
    'x_content_parse_exception',
    `Failed to build [${kind}] after last required field arrived`,
    place,
    {
      type: 'illegal_argument_exception',
      reason,
    },
  );

/** Parses a list of numbers, or a single one. */
const numbers: Read<number[]> = (input) => {
  return input.isArray ? listOf(inNumbers)(input) : [number(input)];
};

/** Parsers of the estimation methods. Each returns whether it is finer than the default. */
const digests = {
  tdigest: (input: Input): boolean => {
    const { compression = 100 } = object('tdigest', { compression: number })(input);
    if (compression < 0)
      throw illegalArgument(
        `[compression] must be greater than or equal to 0. Found [${doubleText(compression)}]`,
        input,
      );
    return compression > 100;
  },
  hdr: (input: Input): boolean => {
    const { number_of_significant_value_digits: digits = 3 } = object('hdr', {
      number_of_significant_value_digits: integer,
    })(input);
    if (digits < 0 || digits > 5)
      throw illegalArgument('[numberOfSignificantValueDigits] must be between 0 and 5', input);
    return true;
  },
} as const;

const requireOneDigest = (at: Input): void => {
  if (at.get('tdigest') !== undefined && at.get('hdr') !== undefined)
    throw illegalArgument('Only one percentiles method should be declared.', at);
};

const ascending = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

export const percentiles: ParseAggregation<PercentilesMetric> = (at, frame) => {
  const options = object('percentiles', {
    ...valueSource,
    percents: numbers,
    keyed: flag,
    ...digests,
  })(at);
  requireOneDigest(at);
  const points = options.percents ?? defaultPercents;
  if (points.length === 0) throw notBuilt('percentiles', `[percents] must not be empty: [${frame.name}]`, at);
  const wrong = points.find((percent) => percent < 0 || percent > 100);
  if (wrong !== undefined) throw illegalArgument(`percent must be in [0,100], got [${wrong}]: [${frame.name}]`, at);
  return {
    kind: 'percentiles',
    ...aggregationBase(frame, at),
    ...fieldOptions(options, at),
    points: ascending(points),
    keyed: options.keyed ?? true,
    finer: options.tdigest ?? options.hdr ?? false,
  };
};

export const percentileRanks: ParseAggregation<PercentilesMetric> = (at, frame) => {
  const options = object('percentile_ranks', {
    ...valueSource,
    values: numbers,
    keyed: flag,
    ...digests,
  })(at);
  requireOneDigest(at);
  const points = options.values ?? [];
  if (points.length === 0)
    throw notBuilt('percentile_ranks', `[values] must not be an empty array: [${frame.name}]`, at);
  return {
    kind: 'percentile_ranks',
    ...aggregationBase(frame, at),
    ...fieldOptions(options, at),
    points: ascending(points),
    keyed: options.keyed ?? true,
    finer: options.tdigest ?? options.hdr ?? false,
  };
};

export const medianAbsoluteDeviation: ParseAggregation<SimpleMetric> = (at, frame) => {
  const kind = 'median_absolute_deviation';
  /** Precision of the engines' estimate. */
  const positive: Read<number> = (input) => {
    const value = number(input);
    if (value > 0) return value;
    throw illegalArgument(
      `[${input.key}] must be greater than 0. Found [${doubleText(value)}] in [${frame.name}]`,
      input,
    );
  };
  const options = object(kind, { ...valueSource, compression: positive })(at);
  // The engines' default compression, 1000, is finer than our digests.
  const finer = (options.compression ?? 1000) > 100;
  return { kind, ...aggregationBase(frame, at), ...fieldOptions(options, at), finer };
};

import { illegalArgument, SearchFailure } from '../../failure.js';
import type { Input } from '../../syntax/input.js';
import { object } from '../../syntax/object.js';
import { doubleText, inNumbers, integer, listOf, number, type Read } from '../../syntax/value.js';
import type { FieldOptions, Node } from '../node.js';

/** Percentiles of values, or the percentile ranks of given values. */
export interface PercentilesMetric extends Node<'percentiles' | 'percentile_ranks'>, FieldOptions {
  /** Percents, or values whose ranks are computed. */
  readonly points: readonly number[];
  readonly keyed: boolean;
  /** Whether the request needs more precision than a digest with the default compression (100) has. */
  readonly finer: boolean;
}

/** Default percents. */
export const defaultPercents = [1, 5, 25, 50, 75, 95, 99];

/** Creates an error that the engines raise only after they have parsed the whole aggregation. */
export const notBuilt = (kind: string, reason: string, place: Input): SearchFailure =>
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
export const numbers: Read<number[]> = (input) => {
  return input.isArray ? listOf(inNumbers)(input) : [number(input)];
};

/** Parsers of the estimation methods. Each returns whether it is finer than the default. */
export const digests = {
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

export const requireOneDigest = (at: Input): void => {
  if (at.get('tdigest') !== undefined && at.get('hdr') !== undefined)
    throw illegalArgument('Only one percentiles method should be declared.', at);
};

export const ascending = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

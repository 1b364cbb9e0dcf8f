import { illegalArgument, SearchFailure } from '../../failure.js';
import type { Input } from '../../syntax/input.js';
import { object } from '../../syntax/object.js';
import { doubleText, inNumbers, integer, listOf, number, type Read } from '../../syntax/value.js';
import type { FieldOptions, Node } from '../node.js';

/** Values below which so many percent lie, or the other way round. */
export interface PercentilesMetric extends Node<'percentiles' | 'percentile_ranks'>, FieldOptions {
  /** Percents, or values to find the ranks of. */
  readonly points: readonly number[];
  readonly keyed: boolean;
  /** Whether more is asked for than a digest with the usual compression (100) tells. */
  readonly finer: boolean;
}

/** The percents of a request that names none. */
export const defaultPercents = [1, 5, 25, 50, 75, 95, 99];

/** A fault that the engines find when they have read all of an aggregation. */
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

/** Numbers, or one alone. */
export const numbers: Read<number[]> = (input) => {
  return input.isArray ? listOf(inNumbers)(input) : [number(input)];
};

/** How exactly to estimate; each says whether that is finer than usual. */
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

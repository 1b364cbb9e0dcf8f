import type { Fault } from '#common/errors.js';
import { roundedIn, sendAsText } from '#json/decimal.js';
import { locate } from '#json/json.js';
import type { Aggregation } from '#search/aggregation/aggregation.js';
import { parseRequest } from '#search/request.js';
import { SearchFailure } from '#search/search-failure.js';
import { Input } from '#search/syntax/input.js';
import { inTurn, list, object, text } from './value-checks.js';

/** Longest query of a panel, in characters of JSON. */
const maxLength = 16_384;

const any = () => undefined;

const shape = object({
  optional: { products: list(text(1, 200), 0, 20), query: any, aggs: any, aggregations: any, size: any },
});

/**
 * Checks the query of a panel. Its aggregations may make one level of buckets, with metrics inside but no further
 * buckets.
 */
export const query = inTurn(shape, (value, path, faults) => {
  if (JSON.stringify(value).length > maxLength)
    faults.push({ path, message: `must be at most ${maxLength} characters of JSON` });
  else if (roundedIn(value) !== undefined) faults.push({ path, message: `\`${roundedIn(value)}\` ${sendAsText}` });
  else faults.push(...searchFaults(value, path));
});

function searchFaults(value: unknown, path: string): Fault[] {
  try {
    const { aggregations } = parseRequest(new Input(locate(value), path));
    if (aggregations.length === 0) return [{ path: `${path}.aggs`, message: 'must hold an aggregation' }];
    const nested = aggregations
      .flatMap(childrenOf)
      .find((child) => childrenOf(child).length > 0 || 'children' in child);
    return nested === undefined
      ? []
      : [{ path: nested.at.path, message: 'makes buckets in buckets: a panel shows one level of them' }];
  } catch (error) {
    if (!(error instanceof SearchFailure)) throw error;
    return [{ path: error.place?.path ?? path, message: error.reason }];
  }
}

const childrenOf = (aggregation: Aggregation): readonly Aggregation[] =>
  'children' in aggregation ? aggregation.children : [];

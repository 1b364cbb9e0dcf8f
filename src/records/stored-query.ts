import { invalid } from '#common/errors.js';
import { isStorable, unstorable } from '#entities/storable.js';
import { roundedIn, sendAsText } from '#json/decimal.js';
import type { PlainJson } from '#json/json.js';
import { requireQuery } from '#records/postgres/search/match.js';

/** Maximum number of characters of a stored query as JSON. Every call that stores records parses and runs the query. */
const maxLength = 16_384;

/** @throws invalid (422) when a query has a number that may have lost digits. */
export function requireDigits(path: string, query: PlainJson): void {
  const rounded = roundedIn(query);
  if (rounded !== undefined) throw invalid([{ path, message: `\`${rounded}\` ${sendAsText}` }]);
}

/**
 * Checks a query of a filter or a rule.
 * @throws invalid (422) when it is too long, searches refuse it, it has a number beyond 2^53 - 1, or it cannot be
 * stored.
 */
export function requireStoredQuery(path: string, query: PlainJson): void {
  let isWhole = true;
  const text = JSON.stringify(query, (key, value: PlainJson) => {
    if (!isStorable(key) || (typeof value === 'string' && !isStorable(value))) isWhole = false;
    return value;
  });
  if (text.length > maxLength) throw invalid([{ path, message: `must be at most ${maxLength} characters of JSON` }]);
  if (!isWhole) throw invalid([{ path, message: unstorable }]);
  requireDigits(path, query);
  requireQuery(query, path);
}

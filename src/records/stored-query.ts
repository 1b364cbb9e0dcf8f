import { invalid } from '#common/errors.js';
import { isStorable, unstorable } from '#entities/storable.js';
import type { PlainJson } from '#json/json.js';
import { requireQuery } from '#records/postgres/search/match.js';

/** Maximum number of characters of a stored query as JSON. Every call that stores records parses and runs the query. */
const maxLength = 16_384;

/**
 * Checks a query of a filter or a rule.
 * @throws invalid (422) when it is too long, searches refuse it, or it cannot be stored.
 */
export function requireStoredQuery(path: string, query: PlainJson): void {
  let isWhole = true;
  const text = JSON.stringify(query, (key, value: PlainJson) => {
    if (!isStorable(key) || (typeof value === 'string' && !isStorable(value))) isWhole = false;
    return value;
  });
  if (text.length > maxLength) throw invalid([{ path, message: `must be at most ${maxLength} characters of JSON` }]);
  if (!isWhole) throw invalid([{ path, message: unstorable }]);
  requireQuery(query, path);
}

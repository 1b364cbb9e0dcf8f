import { isStorable, unstorable } from '../entities/storable.js';
import { invalid } from '../errors.js';
import type { PlainJson } from '../json.js';
import { requireQuery } from '../records/postgres/search/match.js';

/** Characters of a stored query as JSON: it is parsed and run for every call that stores records. */
const maxLength = 16_384;

/** Throws 422 for a query of a filter or a rule that is too long, that searches do not take or that cannot be stored. */
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

import type { Fault } from '#common/errors.js';
import { isStorable, unstorable } from '#entities/storable.js';

/** Limits of a document, which are checked before its contents. */
export const documentLimits = {
  /** Maximum size as JSON, in bytes. */
  bytes: 256 * 1024,
  /** Maximum nesting of objects and lists. */
  depth: 20,
  /** Maximum number of objects, lists and values. */
  values: 20_000,
  /** Maximum number of characters of a key. */
  key: 200,
} as const;

/** Returns the first fault of a document that is too large, nests too deep or holds text that cannot be stored. */
export function limitFault(document: unknown): Fault | undefined {
  let values = 0;
  // A stack of values still to check: a recursive call per level could exhaust the call stack.
  const open: [value: unknown, depth: number][] = [[document, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next;
    if (typeof value === 'string' && !isStorable(value)) return fault(unstorable);
    if (typeof value !== 'object' || value === null) continue;
    if (depth > documentLimits.depth) return fault(`may nest at most ${documentLimits.depth} deep`);
    const entries = Object.entries(value);
    values += entries.length;
    if (values > documentLimits.values) return fault(`may hold at most ${documentLimits.values} values`);
    for (const [key, inner] of entries) {
      if (key.length > documentLimits.key)
        return fault(`may have no key of more than ${documentLimits.key} characters`);
      if (!isStorable(key)) return fault(unstorable);
      open.push([inner, depth + 1]);
    }
  }
  const bytes = Buffer.byteLength(JSON.stringify(document) ?? '');
  return bytes > documentLimits.bytes
    ? fault(`may have at most ${documentLimits.bytes / 1024} KiB as JSON`)
    : undefined;
}

const fault = (message: string): Fault => ({ path: 'document', message });

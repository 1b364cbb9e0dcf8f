import type { PlainJson } from './json.js';

/** Maximum number of parts of a path whose cuts into keys are all tried: there are 2^(n-1). */
const maxParts = 4;

/**
 * Returns the lists of keys that lead to a path: `o.x` is the key `x` of an object `o`, or the key `o.x`. The most
 * nested list comes first. For a path of more than four parts these are the most nested one, `seen`, and the single
 * key.
 */
export const keysOfPath = (path: string, seen?: readonly string[]): readonly (readonly string[])[] => {
  const parts = path.split('.');
  if (parts.length <= maxParts) return cuts(parts);
  const other = seen !== undefined && seen.length > 1 && seen.length < parts.length ? [seen] : [];
  return [parts, ...other, [path]];
};

const cuts = (parts: readonly string[]): string[][] =>
  parts.flatMap((_part, index) => {
    const key = parts.slice(0, index + 1).join('.');
    const rest = parts.slice(index + 1);
    return rest.length === 0 ? [[key]] : cuts(rest).map((keys) => [key, ...keys]);
  });

/**
 * Returns the value of a variable: the value under a key with the variable's name, else under nested keys that join to
 * the name by dots.
 */
export const valueOfName = (data: { readonly [key: string]: PlainJson }, name: string): PlainJson | undefined => {
  const own = Object.hasOwn(data, name) ? data[name]! : null;
  if (own !== null || !name.includes('.')) return own ?? undefined;
  for (const keys of keysOfPath(name)) {
    const value = keys.reduce<PlainJson | undefined>(
      (object, key) =>
        typeof object === 'object' && object !== null && !Array.isArray(object) && Object.hasOwn(object, key)
          ? object[key]
          : undefined,
      data,
    );
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
};

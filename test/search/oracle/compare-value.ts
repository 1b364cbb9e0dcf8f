import type { Plain } from './plain.js';

/**
 * Compares values. Numbers may differ as much as sums of doubles that were added in another order.
 * @param scale magnitude of the numbers that a value was computed from, when it may exceed the value.
 */
export const compareValue = (ours: unknown, theirs: unknown, path: string, tolerance = 1e-9, scale = 1): string[] => {
  if (typeof ours === 'number' && typeof theirs === 'number') {
    const close =
      ours === theirs || Math.abs(ours - theirs) <= tolerance * Math.max(scale, Math.abs(ours), Math.abs(theirs));
    return close ? [] : [`${path}: ours ${ours}, theirs ${theirs}`];
  }
  if (Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length) {
    return ours.flatMap((item, index) => compareValue(item, theirs[index], `${path}.${index}`, tolerance, scale));
  }
  if (isObject(ours) && isObject(theirs)) {
    const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    return [...keys]
      .filter((key) => !argued.test(key) && !isEmptyMeta(key, theirs[key]))
      .flatMap((key) => compareValue(ours[key], theirs[key], `${path}.${key}`, tolerance, scale));
  }
  return Object.is(ours, theirs) || isRoundedApart(ours, theirs, path)
    ? []
    : [`${path}: ours ${JSON.stringify(ours)?.slice(0, 300)}, theirs ${JSON.stringify(theirs)?.slice(0, 300)}`];
};

/**
 * Texts of numbers that differ only by the order of addition: the last digits of a double, rounded the other way, or
 * written out when the format gives no digits.
 */
const isRoundedApart = (ours: unknown, theirs: unknown, path: string): boolean => {
  if (typeof ours !== 'string' || typeof theirs !== 'string' || !path.endsWith('_as_string')) return false;
  const [a, b] = [ours, theirs].map((text) => Number(text.replaceAll(',', '')));
  if (a !== b && Math.abs(a! - b!) <= 1e-9 * Math.max(Math.abs(a!), Math.abs(b!))) return true;
  const [, fraction = ''] = /^-?[\d,]+\.?(\d*)$/.exec(ours) ?? [];
  return Math.abs(a! - b!) <= 1.001 * 10 ** -fraction.length && ours.length === theirs.length && fraction !== '';
};

/** Whether a key is the empty `meta` that OpenSearch adds to some aggregations. */
const isEmptyMeta = (key: string, value: unknown): boolean =>
  key === 'meta' && isObject(value) && Object.keys(value).length === 0;

/** Keys whose difference docs/search.md explains: error bounds of exact counts, and texts of invalid dates. */
const argued = /^(?:doc_count_error_upper_bound|(?:sum_of_squares|variance.*|std_deviation.*)_as_string)$/;

const isObject = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

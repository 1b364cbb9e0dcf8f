import type { Plain } from './plain.js';

/** The fields of a sort. */
export const sortKeys = (sort: unknown): string[] => {
  const keys = (Array.isArray(sort) ? sort : [sort ?? []]) as (string | Plain | null)[];
  return keys.flatMap((key) => (typeof key === 'string' ? [key] : Object.keys(key ?? {})));
};

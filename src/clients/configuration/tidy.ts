import type { Values } from './document.js';

/** Removes empty values: null, empty texts, empty lists and empty objects. A query keeps them, such as `match_all: {}`. */
export const tidy = (value: unknown): Values =>
  Object.fromEntries(
    Object.entries(value as Values).flatMap(([name, each]) => {
      const inner = name === 'query' ? (each ?? undefined) : tidied(each);
      return inner === undefined ? [] : [[name, inner]];
    }),
  );

const tidied = (value: unknown): unknown => {
  if (value === null || value === undefined || value === '') return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((each: unknown) => tidied(each) ?? each);
  if (typeof value !== 'object') return value;
  const inner = tidy(value);
  return Object.keys(inner).length === 0 ? undefined : inner;
};

import { innermost, type Plain } from '../search/oracle/plain.js';

/**
 * Searches that a cluster refuses and PostgreSQL answers. The key is the name in docs/cluster.md ("What differs"), the
 * value is the cluster's message.
 */
const refused: Readonly<Record<string, RegExp>> = {
  'buckets by several keys, or rare ones, of the device': /^\[\w+\] over \[device\.[\w.]+\] is not supported/,
  'sort by a field of the device': /^\[device\.\w+\] can only be the first key of a sort of hits/,
  'parts of identifiers': /^Field \[[\w.]+\] supports only whole values/,
  'patterns of buckets of the device': /^Aggregation \[device\.\w+\] takes lists for include and exclude/,
  '`missing` in a source of `composite`': /^\[missing\] of a source of \[composite\] is not supported/,
};

/** A search that PostgreSQL refuses and a cluster answers. */
const overflowing = 'means beyond the largest double';

/** The names of the table that this file recognizes. */
export const lines: readonly string[] = [...Object.keys(refused), overflowing];

/** Returns the line of the table that explains the two answers, or undefined. */
export const reasonOf = (answer: Plain, other: Plain): string | undefined => {
  const refusal = other['error'] as Plain | undefined;
  if (refusal?.['reason'] === 'A number that the query computes is out of range') return overflowing;
  if (answer['error'] === undefined) return undefined;
  const said = String(innermost(answer['error'] as Plain)['reason']);
  return said.endsWith('where records are on a cluster')
    ? Object.keys(refused).find((line) => refused[line]!.test(said))
    : undefined;
};

import { innermost, type Plain } from '../search/oracle/plain.js';

/**
 * What a cluster refuses and PostgreSQL answers, by the first column of the table of docs/cluster.md ("What differs"): each told
 * from the cluster's own words.
 */
const refused: Readonly<Record<string, RegExp>> = {
  'buckets by several keys, or rare ones, of the device': /^\[\w+\] over \[device\.[\w.]+\] is not supported/,
  'sort by a field of the device': /^\[device\.\w+\] can only be the first key of a sort of hits/,
  'parts of identifiers': /^Field \[[\w.]+\] can only be asked for whole values/,
  'patterns of buckets of the device': /^Aggregation \[device\.\w+\] takes lists for include and exclude/,
  '`missing` in a source of `composite`': /^\[missing\] of a source of \[composite\] is not supported/,
};

/** The same of what PostgreSQL refuses and a cluster answers. */
const overflowing = 'means beyond the largest double';

/** The lines of the table that this reads. */
export const lines: readonly string[] = [...Object.keys(refused), overflowing];

/** The line of the table that the answers of the cluster and of PostgreSQL to a search fall under; undefined: none. */
export const reasonOf = (answer: Plain, other: Plain): string | undefined => {
  const refusal = other['error'] as Plain | undefined;
  if (refusal?.['reason'] === 'value out of range: overflow') return overflowing;
  if (answer['error'] === undefined) return undefined;
  const said = String(innermost(answer['error'] as Plain)['reason']);
  return said.endsWith('where records are on a cluster')
    ? Object.keys(refused).find((line) => refused[line]!.test(said))
    : undefined;
};

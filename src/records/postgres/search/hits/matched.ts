import sql, { join } from 'sql-template-tag';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import type { NamedPredicates } from '#search/query/named.js';
import { fieldsOf, type Predicate } from '#search/query/predicate.js';
import { type Scope, scan } from '../sql/record-scan.js';
import { condition } from '../sql/sql-condition.js';

/** The named clauses of a query, and the scope of the query. */
export interface Names {
  readonly scope: Scope;
  readonly named: NamedPredicates;
  /** Counts the memory of names in hits, in bytes. Throws if the answer may not grow any more. */
  readonly weigh: (bytes: number) => void;
}

/** Number of bytes of one name of one hit, besides its characters. */
const nameBytes = 16;

/**
 * Reads the names of the clauses that match each record, for records that were read with `hitColumns`. Each clause is
 * tested on each record, wherever it is in the query, even if it is one that excludes records.
 */
export const loadMatched = async (
  reader: QueryReader,
  records: readonly (readonly unknown[])[],
  { scope, named, weigh }: Names,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const matched = new Map<string, string[]>();
  if (named.size === 0 || records.length === 0) return matched;
  const within = scopeOf(scope, records);
  const ids = [...new Set(records.map(([id]) => id as string))].toSorted();
  for (const part of partsOf([...named])) {
    const { source, where } = scan(
      within,
      [],
      part.flatMap(([, predicate]) => fieldsOf(predicate)),
    );
    const which = part.map(([, predicate], index) => sql`case when ${condition(predicate)} then ${index}::int end`);
    const rows = await reader.rows<{ id: string; which: number[] }>(sql`
      select r.id, array_remove(array[${join(which)}], null) as which from ${source}
      where ${where} and r.id = any(${ids}::uuid[]) and r.id between ${ids[0]}::uuid and ${ids.at(-1)}::uuid`);
    for (const { id, which: indexes } of rows) {
      const names = indexes.map((index) => part[index]![0]);
      for (const name of names) weigh(nameBytes + 2 * name.length);
      matched.set(id, [...(matched.get(id) ?? []), ...names]);
    }
  }
  return matched;
};

/** Narrows the scope to the devices and the time span of records. */
const scopeOf = ({ organizationId }: Scope, records: readonly (readonly unknown[])[]): Scope => {
  let [from, to] = [Infinity, -Infinity];
  for (const [, ts] of records) {
    from = Math.min(from, Number(ts));
    to = Math.max(to, Number(ts));
  }
  return {
    organizationId,
    deviceIds: [...new Set(records.map((record) => record[2] as string))],
    productIds: [],
    // One second more on each side, because the times that were read are rounded.
    from: new Date((from - 1) * 1000).toISOString(),
    to: new Date((to + 1) * 1000).toISOString(),
  };
};

/**
 * Maximum number of conditions of one statement. Nested clauses may have 80,000 together, and PostgreSQL accepts 65,535
 * values.
 */
const maxConditions = 8000;

/** Splits a list of clauses so that each part fits into one statement. */
const partsOf = <Item extends readonly [string, Predicate]>(clauses: readonly Item[]): Item[][] => {
  const parts: Item[][] = [];
  let room = 0;
  for (const clause of clauses) {
    const size = sizeOf(clause[1]);
    if (size > room || parts.length === 0) {
      parts.push([]);
      room = maxConditions;
    }
    parts.at(-1)!.push(clause);
    room -= size;
  }
  return parts;
};

const sizeOf = (predicate: Predicate): number => {
  if (predicate.kind === 'not') return sizeOf(predicate.of);
  if (!('of' in predicate)) return 1;
  return predicate.of.reduce((sum, one) => sum + sizeOf(one), 1);
};

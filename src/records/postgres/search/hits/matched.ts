import sql, { join, type Sql } from 'sql-template-tag';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import type { Field } from '#search/field/field.js';
import type { NamedPredicates } from '#search/query/named.js';
import { fieldsOf, type Predicate } from '#search/query/predicate.js';
import { type Scope, scan } from '../sql/record-scan.js';
import { condition } from '../sql/sql-condition.js';
import type { BlockHits } from './block-hit.js';

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
 * @param inBlocks those of the records that only blocks hold
 */
export const loadMatched = async (
  reader: QueryReader,
  records: readonly (readonly unknown[])[],
  { scope, named, weigh }: Names,
  inBlocks: BlockHits,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const matched = new Map<string, string[]>();
  if (named.size === 0 || records.length === 0) return matched;
  const { rows = [], blocks = [] } = Object.groupBy(records, ([id]) =>
    inBlocks.has(id as string) ? 'blocks' : 'rows',
  );
  for (const part of partsOf([...named])) {
    const found = [
      ...(rows.length > 0 ? await namesOfRows(reader, part, scope, rows) : []),
      ...(blocks.length > 0 ? await namesInBlocks(reader, part, scope, blocks, inBlocks) : []),
    ];
    for (const { id, which: indexes } of found) {
      const names = indexes.map((index) => part[index]![0]);
      for (const name of names) weigh(nameBytes + 2 * name.length);
      matched.set(id, [...(matched.get(id) ?? []), ...names]);
    }
  }
  return matched;
};

type Clauses = readonly (readonly [string, Predicate])[];

/** Identifier of a record, and indexes of the clauses that match it. */
interface Matched {
  id: string;
  which: number[];
}

const whichOf = (clauses: Clauses): Sql => {
  const which = clauses.map(([, predicate], index) => sql`case when ${condition(predicate)} then ${index}::int end`);
  return sql`array_remove(array[${join(which)}], null)`;
};

const fieldsIn = (clauses: Clauses): Field[] => clauses.flatMap(([, predicate]) => fieldsOf(predicate));

const namesOfRows = (
  reader: QueryReader,
  clauses: Clauses,
  { organizationId }: Scope,
  records: readonly (readonly unknown[])[],
): Promise<Matched[]> => {
  const ids = [...new Set(records.map(([id]) => id as string))].toSorted();
  const { source, where } = scan(scopeOf(organizationId, records), [], fieldsIn(clauses));
  return reader.rows<Matched>(sql`
      select r.id, ${whichOf(clauses)} as which from ${source}
      where ${where} and r.id = any(${ids}::uuid[]) and r.id between ${ids[0]}::uuid and ${ids.at(-1)}::uuid`);
};

const namesInBlocks = async (
  reader: QueryReader,
  clauses: Clauses,
  { organizationId, alone }: Scope,
  records: readonly (readonly unknown[])[],
  inBlocks: BlockHits,
): Promise<Matched[]> => {
  const hits = records.map(([id]) => ({ id: id as string, ...inBlocks.get(id as string)! }));
  const [blocks, places] = [hits.map(({ block }) => block), hits.map(({ place }) => place)];
  const scope = { ...scopeOf(organizationId, records), ...(alone && { alone }) };
  const shown = scan(scope, [], fieldsIn(clauses), true);
  const [block, place] = shown.places;
  const found = await reader.rows<Omit<Matched, 'id'> & { block: number; place: number }>(sql`
      select ${block} as block, ${place} as place, ${whichOf(clauses)} as which from ${shown.source}
      where ${shown.where} and ${block} = any(${blocks}::int[])
        and (${block}, ${place}) in (select * from unnest(${blocks}::int[], ${places}::int[]))`);
  const ids = new Map(hits.map((hit) => [`${hit.block} ${hit.place}`, hit.id]));
  return found.map(({ which, ...at }) => ({ id: ids.get(`${at.block} ${at.place}`)!, which }));
};

/** Narrows the scope to the devices and the time span of records. */
const scopeOf = (organizationId: string, records: readonly (readonly unknown[])[]): Scope => {
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

import sql, { type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import type { FormulaValue } from '#expression/formula.js';

/** Returns the value that an attribute of a record's device had when the record was measured. */
export type AttributeReader = (name: string) => FormulaValue | undefined;

/** A record whose formulas read attributes. */
export interface AttributeNeed {
  deviceId: string;
  /** Unix seconds. */
  ts: number;
  names: readonly string[];
}

/** A version of an attribute as {@link versionsFor} selects it. */
export interface Version {
  owner_id: string;
  name: string;
  from: number;
  value: FormulaValue | null;
}

/** Attributes of devices over the time of some records. */
export class AttributeHistory {
  /** Versions of each attribute, in order of time. */
  private readonly versions = new Map<string, Version[]>();

  constructor(rows: readonly Version[]) {
    for (const row of rows) {
      const key = keyOf(row.owner_id, row.name);
      const list = this.versions.get(key);
      if (list === undefined) this.versions.set(key, [row]);
      else list.push(row);
    }
  }

  /** Returns a reader for a record, by its device and its time in Unix seconds. */
  at(deviceId: string, ts: number): AttributeReader {
    return (name) => this.versions.get(keyOf(deviceId, name))?.findLast(({ from }) => from <= ts)?.value ?? undefined;
  }
}

const keyOf = (ownerId: string, name: string): string => `${ownerId} ${name}`;

/** Loads the attributes that some records need. */
export const loadAttributes = async (
  database: Queryable,
  needs: Iterable<AttributeNeed>,
): Promise<AttributeHistory | undefined> => {
  const versions = versionsFor(needs);
  return versions && new AttributeHistory((await database.query<Version>(versions)).rows);
};

/**
 * Selects the attributes that some records need: those that hold at each device's first record, and those that follow.
 * Returns undefined if they need none.
 */
export const versionsFor = (needs: Iterable<AttributeNeed>): Sql | undefined => {
  const ranges = new Map<string, { deviceId: string; name: string; from: number; to: number }>();
  for (const { deviceId, ts, names } of needs)
    for (const name of names) {
      const range = ranges.get(keyOf(deviceId, name));
      if (range === undefined) ranges.set(keyOf(deviceId, name), { deviceId, name, from: ts, to: ts });
      else {
        range.from = Math.min(range.from, ts);
        range.to = Math.max(range.to, ts);
      }
    }
  if (ranges.size === 0) return undefined;
  const list = [...ranges.values()];
  return sql`
    select a.owner_id, a.name, extract(epoch from a.valid_from)::float8 as "from", a.value
      from unnest(${list.map(({ deviceId }) => deviceId)}::uuid[], ${list.map(({ name }) => name)}::text[],
          ${list.map(({ from }) => from)}::float8[], ${list.map(({ to }) => to)}::float8[]) w (owner_id, name, low, high)
      cross join lateral (
        (select f.* from attribute f where f.owner_id = w.owner_id and f.name = w.name and f.valid_from <= to_timestamp(w.low)
          order by f.valid_from desc limit 1)
        union all
        select l.* from attribute l where l.owner_id = w.owner_id and l.name = w.name
           and l.valid_from > to_timestamp(w.low) and l.valid_from <= to_timestamp(w.high)) a
     order by a.owner_id, a.name, a.valid_from`;
};

/** Selects the attributes of owners that hold at a time, each with its owner. */
export const attributesAt = (ownerIds: Sql, at: Sql): Sql => sql`
  select "ownerId", name, value, "validFrom" from (
    select distinct on (owner_id, name) owner_id as "ownerId", name, value,
           extract(epoch from valid_from)::float8 as "validFrom"
      from attribute where owner_id = any(${ownerIds}::uuid[]) and valid_from <= ${at}
     order by owner_id, name, valid_from desc) present
   where value is not null order by "ownerId", name collate "C"`;

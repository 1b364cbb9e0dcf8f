import sql, { type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import type { IdRange } from '#entities/id.js';
import type { RecordRow } from '../document.js';

/** A record with the fields by which the types of its product are loaded. */
export interface IndexableRow extends RecordRow {
  /** Whether the product belongs to another organization; null if the product was deleted. */
  foreign: boolean | null;
  version: string | null;
}

/** Columns of a record `r` in PostgreSQL, its device `d` and its product `p`, which may be missing. */
export const rowColumns: Sql = sql`
  r.id, r.organization_id as "organizationId", r.device_id as "deviceId", d.number as "deviceNumber",
  r.product_id as "productId", (extract(epoch from r.ts) * 1000000)::float8 as us, r.seq::float8 as seq,
  r.metadata::text as metadata, r.data::text as data, r.frame::text as frame, r.given::text as given,
  r.numbers, r.texts, r.many, r.ignored, p.organization_id <> r.organization_id as "foreign", p.xmin::text as version`;

/** Reads the records of the journal in ranges, each once. Omits those of deleted devices. */
export const readJournal = async (database: Queryable, ranges: readonly IdRange[]): Promise<IndexableRow[]> => {
  const merged = merge(ranges);
  const { rows } = await database.query<IndexableRow>(sql`
    select ${rowColumns}
      from unnest(${merged.map(({ low }) => low)}::uuid[], ${merged.map(({ high }) => high)}::uuid[]) b (low, high)
      join journal.record r on r.id between b.low and b.high
      join device d on d.id = r.device_id
      left join product p on p.id = r.product_id`);
  return rows;
};

/** Merges overlapping ranges. */
const merge = (ranges: readonly IdRange[]): IdRange[] => {
  const merged: IdRange[] = [];
  for (const { low, high } of [...ranges].sort((one, other) => (one.low < other.low ? -1 : 1))) {
    const last = merged.at(-1);
    if (last && low <= last.high) last.high = last.high > high ? last.high : high;
    else merged.push({ low, high });
  }
  return merged;
};

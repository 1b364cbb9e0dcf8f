import type { Pool } from 'pg';
import sql, { empty, type Sql } from 'sql-template-tag';
import { weighedTypes } from '#database/row-weight.js';
import { newestRecords } from '#records/answer/latest-answer.js';
import type { PlainObject } from '#records/item.js';
import type { RecordIndex } from '#records/record-index.js';
import { recordsAt } from '../alone-record.js';

/** Counts the bytes read. Throws above the call's limit. */
export type Weigh = Parameters<RecordIndex['latest']>[1];

/** A recent record of a device, and the device. */
export interface Recent {
  device_id: string;
  product_id: string | null;
  product_version: string | null;
  /** Whether the product belongs to another organization. */
  foreign: boolean | null;
  organization_id: string;
  id: string;
  ts: number;
  data: PlainObject;
  /** Whether the record lies ahead of now. */
  future: boolean;
}

/** A device without rows has one whose `id` is null. */
interface FoundRecent extends Omit<Recent, 'id'> {
  id: string | null;
  /** End of the newest day of the organization that is in blocks alone, in Unix seconds; null without one. */
  alone_until: number | null;
}

/**
 * Finds the newest records of devices, at least {@link newestRecords} of each if it has as many. Blocks are read of
 * devices whose newest rows reach days that are in blocks alone.
 * @param within condition on the rows (` and …`)
 */
export const findRecent = async (
  pool: Pool,
  deviceIds: readonly string[],
  weigh: Weigh,
  within: Sql = empty,
): Promise<Recent[]> => {
  const stored = await readWeighed<FoundRecent>(
    pool,
    weigh,
    recentOf(
      deviceIds,
      newestRows(within),
      sql`left join lateral (
        select extract(epoch from max(m.day) + 1)::float8 as alone_until from record_block_source s cross join lateral (
          select max(day) as day from record_blocked where source = s.source and alone) m
        where s.organization_id = d.organization_id) a on true`,
    ),
  );
  const behind = [...Map.groupBy(stored, ({ device_id }) => device_id)].flatMap(([id, rows]) => {
    const last = rows.at(-1)!;
    if (last.alone_until === null) return [];
    return rows.length < newestRecords || last.ts < last.alone_until ? [id] : [];
  });
  const found = stored.filter(({ id, device_id }) => id !== null && !behind.includes(device_id)) as Recent[];
  if (behind.length === 0) return found;
  const all = sql`
    ${newestRows(within)}
    union all
    select id, extract(epoch from ts)::float8, data, false from ${recordsAt(recentAlone(within), ['data'])} b`;
  const more = await readWeighed<FoundRecent>(pool, weigh, recentOf(behind, all, empty));
  return [...found, ...more.filter(({ id }) => id !== null)] as Recent[];
};

/** @param records selects records of the device `d` */
const recentOf = (deviceIds: readonly string[], records: Sql, joins: Sql): Sql => sql`
    select d.id as device_id, d.organization_id, d.product_id, p.xmin::text as product_version,
      p.organization_id <> d.organization_id as "foreign", r.*${joins === empty ? empty : sql`, a.alone_until`}
    from unnest(${deviceIds}::uuid[]) w (id) join device d using (id) left join product p on p.id = d.product_id
    ${joins} left join lateral (${records}) r on true`;

const newestRows = (within: Sql): Sql => sql`
    (select id, extract(epoch from ts)::float8 as ts, data, ts > clock_timestamp() as future
      from record where device_id = d.id${within}
      order by record.ts desc, seq desc limit ${newestRecords})`;

/** Selects the places of the newest records that are in blocks alone, as far as rows do not exclude them. */
const recentAlone = (within: Sql): Sql => sql`(
  select block, place from record_block_places(array[d.id],
    coalesce((select ts from record where device_id = d.id${within} order by ts desc, seq desc limit 1 offset ${newestRecords - 1}), '-infinity'),
    'infinity', null, null, true, ${newestRecords})
   order by ts desc, seq desc limit ${newestRecords})`;

/** Runs a query, and counts the bytes that it reads. */
export const readWeighed = async <Row extends object>(
  pool: Pool,
  weigh: Weigh,
  { text, values }: Sql,
): Promise<Row[]> => {
  weigh(0);
  return (await pool.query<Row>({ text, values, types: weighedTypes(weigh) })).rows;
};

import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { progress } from './figures.js';
import type { Stage } from './stage.js';

const piece = 200_000;
/** Connections that store at once, one for each processor of the machine of docs/performance.md. */
const writers = 2;
/** Days over which the records are spread. */
export const days = 90;

/** Returns the time between two records in milliseconds, when all are spread evenly over the days. */
export const stepOf = (rows: number): number => Math.floor((days * 86_400_000) / rows);

/**
 * Stores records of the 90 days before a time directly in the table, as the service would have stored them, for all
 * devices in rotation, and shows the progress. After an interruption, the next call continues where this one stopped.
 * @param until milliseconds since the epoch.
 * @param since records before this time are left out, in milliseconds since the epoch.
 */
export async function storeMillions(stage: Stage, rows: number, until: number, since = 0): Promise<void> {
  const { pool } = stage;
  // In a schema of its own, which no backup contains.
  await pool.query('create schema if not exists bench');
  await pool.query('create table if not exists bench.progress (first bigint primary key)');
  const found = await pool.query<{ first: string }>('select first from bench.progress');
  const stored = new Set(found.rows.map(({ first }) => Number(first)));
  const begin = Math.max(0, rows - Math.floor((until - since) / stepOf(rows)));
  const pieces = Array.from({ length: Math.ceil((rows - begin) / piece) }, (_, i) => begin + i * piece);
  const missing = pieces.filter((first) => !stored.has(first));
  if (missing.length === 0) return;
  const counted = await pool.query<{ count: number }>('select count(*)::int as count from device');
  // Counted in advance, because PostgreSQL can hash a join on `i % count` only if the count is not a column of either
  // side.
  const devices = counted.rows[0]!.count;
  const write = async () => {
    for (let first = missing.shift(); first !== undefined; first = missing.shift()) {
      await storePiece(stage, { first, end: Math.min(first + piece, rows), rows, devices, until });
      stored.add(first);
      progress(Math.min(stored.size * piece, rows - begin), rows - begin);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  await pool.query('vacuum analyze record');
}

/** SQL: the identifier of a record that one process stored up to 0.2 s after its time, with the counter `i`. */
const recordId = sql`(lpad(to_hex(ms + 50 + i * 37 % 150), 12, '0') || '7' || lpad(to_hex(i >> 20), 3, '0')
  || to_hex(8388609 | ((i & 1048575) << 2)) || '23456789ab')::uuid`;

/** Stores the records from `first` to before `end` and notes that they are stored, in one transaction. */
const storePiece = async (
  { pool, organizationId }: Stage,
  { first, end, rows, devices, until }: Record<'first' | 'end' | 'rows' | 'devices' | 'until', number>,
): Promise<void> =>
  transaction(pool, async (tx) => {
    // Inserts the oldest records first, as they would have arrived.
    await tx.query(sql`
      insert into record (id, organization_id, device_id, product_id, ts, metadata, data, numbers, texts)
      select ${recordId}, ${organizationId}::uuid, d.id, d.product_id, to_timestamp(ms / 1000.0),
        jsonb_build_object('rssi', -60 - i % 50, 'snr', (i % 20) / 2.0, 'provider', 'lora'),
        jsonb_build_object('temperature', temperature, 'humidity', 40 + i % 50, 'pressure', pressure, 'open', i % 2 = 0, 'status', status),
        array[temperature, 40 + i % 50, pressure, i % 2], array[status]
      from generate_series(${first}::bigint, ${end - 1}::bigint) i
      cross join lateral (select ${until}::bigint - (${rows}::bigint - i) * ${stepOf(rows)}::bigint as ms) t
      cross join lateral (select 15 + i * 7919 % 1709 / 100.0 as temperature, 1000 + i * 104729 % 307 / 10.0 as pressure,
        case when i * 31 % 97 < 14 then 'error' else 'ok' end as status) v
      join (select id, product_id, row_number() over (order by id) - 1 as n from device) d on d.n = i % ${devices}::bigint`);
    await tx.query(sql`insert into bench.progress values (${first})`);
  });

import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { progress } from './figures.js';
import type { Stage } from './stage.js';

const piece = 200_000;
const days = 90;

/** Returns the time between two records in milliseconds, when all are spread evenly over the days. */
export const stepOf = (rows: number): number => Math.floor((days * 86_400_000) / rows);

/**
 * Stores records of the 90 days before a time directly in the table, as the service would have stored them, for all
 * devices in rotation, and shows the progress. After an interruption, the next call continues where this one stopped.
 * @param until milliseconds since the epoch.
 */
export async function storeMillions({ pool, organizationId }: Stage, rows: number, until: number): Promise<void> {
  await pool.query('create table if not exists bench_progress (done bigint not null)');
  const found = await pool.query<{ done: string | null }>('select max(done) as done from bench_progress');
  const before = Number(found.rows[0]?.done ?? 0);
  if (before >= rows) return;
  const counted = await pool.query<{ count: number }>('select count(*)::int as count from device');
  // Counted in advance, because PostgreSQL can hash a join on `i % count` only if the count is not a column of either
  // side.
  const devices = counted.rows[0]!.count;
  for (let done = before; done < rows; done += piece) {
    progress(done, rows);
    const next = Math.min(done + piece, rows);
    await transaction(pool, async (tx) => {
      // Inserts the oldest records first, as they would have arrived.
      await tx.query(sql`
        insert into record (id, organization_id, device_id, product_id, ts, metadata, data, numbers, texts)
        select uuidv7(), ${organizationId}::uuid, d.id, d.product_id,
          to_timestamp((${until}::float8 - (${rows}::float8 - i) * ${stepOf(rows)}::float8) / 1000),
          jsonb_build_object('rssi', -60 - i % 50, 'snr', (i % 20) / 2.0, 'provider', 'lora'),
          jsonb_build_object('temperature', temperature, 'humidity', 40 + i % 50, 'pressure', pressure, 'open', i % 2 = 0, 'status', status),
          array[temperature, 40 + i % 50, pressure, i % 2], array[status]
        from generate_series(${done}::bigint, ${next - 1}::bigint) i
        cross join lateral (select 15 + i * 7919 % 1709 / 100.0 as temperature, 1000 + i * 104729 % 307 / 10.0 as pressure,
          case when i * 31 % 97 < 14 then 'error' else 'ok' end as status) v
        join (select id, product_id, row_number() over (order by id) - 1 as n from device) d on d.n = i % ${devices}::bigint`);
      await tx.query(sql`insert into bench_progress values (${next})`);
    });
  }
  progress(rows, rows);
  await pool.query('vacuum analyze record');
}

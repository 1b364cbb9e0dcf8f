import { progress } from './figures.js';
import { type BenchFleet } from './fleet.js';
import type { Stage } from './stage.js';

const piece = 200_000;

/** Stores records of the last 90 days directly, as the service would have stored them, and shows how far it is. */
export async function storeMillions(
  { pool, organizationId }: Stage,
  { productId }: BenchFleet,
  rows: number,
): Promise<void> {
  for (let done = 0; done < rows; done += piece) {
    progress(done, rows);
    await pool.query(
      `insert into record (id, organization_id, device_id, product_id, ts, metadata, data, numbers, texts)
       select gen_random_uuid(), $1, d.id, $2, now() - i * interval '90 days' / $3::float8,
         jsonb_build_object('rssi', -60 - i % 50, 'snr', (i % 20) / 2.0, 'provider', 'lora'),
         jsonb_build_object('temperature', 15 + i % 170 / 10.0, 'humidity', 40 + i % 50, 'pressure', 1000 + i % 300 / 10.0, 'open', i % 2 = 0,
           'status', case when i % 7 = 0 then 'error' else 'ok' end),
         array[15 + i % 170 / 10.0, 40 + i % 50, 1000 + i % 300 / 10.0, i % 2], array[case when i % 7 = 0 then 'error' else 'ok' end]
       from generate_series($4::bigint, $5::bigint) i
       join (select id, row_number() over (order by id) - 1 as n, count(*) over () as all from device where product_id = $2) d on d.n = i % d.all`,
      [organizationId, productId, rows, done, Math.min(done + piece, rows) - 1],
    );
  }
  if (rows > 0) {
    progress(rows, rows);
    await pool.query('vacuum analyze record');
  }
}

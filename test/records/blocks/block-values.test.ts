import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { arbitraryRows } from './arbitrary-row.js';
import { type BlockWorld, useBlockWorld } from './block-world.js';
import { createStored } from './round-trip.js';
import { storeRecords } from './store-rows.js';

let pool: Pool;
let world: BlockWorld;
useBlockWorld((...made) => {
  [pool, world] = made;
});

describe('SQL functions over blocks', () => {
  let client: PoolClient;

  beforeAll(async () => {
    client = await pool.connect();
    await createStored(client);
  });
  afterAll(() => client.release());

  it('returns any records exactly, from any place to any other', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryRows(20), fc.double({ min: 0, max: 1, noNaN: true }), async (rows, share) => {
        const fleet = await world.fleetOf();
        await storeRecords(client, fleet, rows);
        await world.make();
        const { rows: differing } = await client.query(sql`
          with block as (
            select block, n, source, floor(n * ${share}::float8)::int as cut
            from record_block join record_block_source using (source) where organization_id = ${fleet.organizationId}
          ), part as (
            select b.block, p.first_place, p.last_place, f.place, f.id, f.seq, f.device_id, f.product_id, f.ts, f.metadata, f.data, f.frame, f.many, s.numbers, s.texts
            from block b cross join lateral (
              select 1 as first_place, b.cut as last_place where b.cut > 0 union all select b.cut + 1, b.n where b.cut < b.n) p
            cross join lateral record_block_rows(b.block, p.first_place, p.last_place, '{metadata,data,frame,many}') f
            join lateral record_block_slots(b.block, p.first_place, p.last_place) s using (place)
          )
          select to_json(r), to_json(p) from (select * from record where organization_id = ${fleet.organizationId}) r full join part p using (id)
          where (r.seq, r.device_id, r.product_id, r.ts, r.metadata::text, r.data::text, r.frame::text, r.many::text, r.numbers::text, r.texts)
            is distinct from (p.seq, p.device_id, p.product_id, p.ts, p.metadata::text, p.data::text, p.frame::text, p.many::text, p.numbers::text, p.texts)`);
        expect(differing.slice(0, 2)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});

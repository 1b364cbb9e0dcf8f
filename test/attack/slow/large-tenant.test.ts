import { expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { useWorld } from '../../support/world.js';

const world = useWorld({});
const devices = 40_000;

/**
 * Returns how often an index of devices was used, and how many entries were read. PostgreSQL counts them up to a second
 * late.
 */
const uses = async (index: string): Promise<{ scans: number; entries: number }> => {
  const { rows } = await world.pool.query<{ scans: number; entries: number }>(
    sql`select idx_scan::int as scans, idx_tup_read::int as entries from pg_stat_user_indexes where indexrelname = ${index}`,
  );
  return rows[0]!;
};

it('reads no devices of a large organization for the list of a small one, even when statistics know only the large one', async () => {
  const large = await world.organization();
  await world.pool.query(sql`insert into device (id, organization_id, serial, slug, created_at, updated_at)
    select gen_random_uuid(), ${large.id}, 's' || n, 's' || n, now(), now() from generate_series(1, ${devices}::int) n`);
  await world.pool.query('analyze device');
  const small = await world.organization();
  const list = `/organizations/${small.id}/devices`;
  await small.post(`${list}/ab-01`, {});
  const [all, own] = ['device_pkey', 'device_organization_id_id_key'];
  const before = [await uses(all), await uses(own)] as const;
  let after = before;
  while (after[0].scans + after[1].scans === before[0].scans + before[1].scans) {
    expect((await small.get(list)).body).toHaveLength(1);
    after = [await uses(all), await uses(own)];
  }
  expect(after[0].entries - before[0].entries).toBeLessThan(devices);
});

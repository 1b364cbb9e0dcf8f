import { expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { useWorld } from '../support/world.js';

const world = useWorld();
const devices = 20_000;

/** Rows of devices that were read so far, in any way. PostgreSQL counts them a second late. */
const rowsRead = async (): Promise<number> => {
  const { rows } = await world.pool.query<{ read: number }>(
    sql`select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where relname = 'device'`,
  );
  return rows[0]!.read;
};

it('a page of a large application reads the devices that it shows, in the order of their links', async () => {
  const owner = await world.organization();
  const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Everything' });
  const client = await world.pool.connect();
  await client.query(sql`insert into device (id, organization_id, serial, slug, created_at, updated_at)
    select gen_random_uuid(), ${owner.id}, 's' || n, 's' || n, now(), now() from generate_series(1, ${devices}::int) n`);
  await client.query(sql`insert into application_device (organization_id, application_id, device_id, created_at)
    select organization_id, ${applicationId}, id, now() + substr(serial, 2)::int * interval '1 s' from device where organization_id = ${owner.id}`);
  await client.query('analyze device, application_device');
  // What filling them read is counted before what the service reads.
  await client.query('select pg_stat_force_next_flush()');
  client.release();
  const before = await rowsRead();
  let after = before;
  while (after === before) {
    const page = await owner.get<{ serial: string }[]>(`/applications/${owner.id}/${applicationId}/devices?limit=3`);
    expect(page.body.map(({ serial }) => serial)).toEqual(['s1', 's2', 's3']);
    expect(page.headers.get('x-total-count')).toBe(`${devices}`);
    after = await rowsRead();
  }
  expect(after - before).toBeLessThan(devices);
});

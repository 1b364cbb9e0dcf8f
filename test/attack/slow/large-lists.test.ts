import { beforeAll, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { type AccountActor, useWorld } from '../../support/world.js';

const world = useWorld({});
const devices = 20_000;
let owner: AccountActor;
let applicationId: string;
let productId: string;

/** Returns the number of device rows read so far. PostgreSQL counts them up to a second late. */
const rowsRead = async (): Promise<number> => {
  const { rows } = await world.pool.query<{ read: number }>(
    sql`select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where relname = 'device'`,
  );
  return rows[0]!.read;
};

/** Runs `ask`, waits for PostgreSQL's counters, and returns the number of device rows read. */
const rowsReadBy = async (ask: () => Promise<void>): Promise<number> => {
  const before = await rowsRead();
  let after = before;
  while (after === before) {
    await ask();
    after = await rowsRead();
  }
  return after - before;
};

beforeAll(async () => {
  owner = await world.organization();
  applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Everything' });
  productId = await owner.make(`/organizations/${owner.id}/products`, { version: 'v2', name: 'Meter', variables: [] });
  const client = await world.pool.connect();
  await client.query(sql`insert into device (id, organization_id, product_id, serial, slug, created_at, updated_at)
    select lpad(to_hex(n), 32, '0')::uuid, ${owner.id}, ${productId}, 's' || n, 's' || n, now(), now() from generate_series(1, ${devices}::int) n`);
  await client.query(sql`insert into application_device (organization_id, application_id, device_id, created_at)
    select organization_id, ${applicationId}, id, now() + substr(serial, 2)::int * interval '1 s' from device where organization_id = ${owner.id}`);
  await client.query('analyze device, application_device');
  // Flushes the counters of the set-up before the service reads.
  await client.query('select pg_stat_force_next_flush()');
  client.release();
});

it('reads only the devices shown, in order of linking, for a page of a large application', async () => {
  const read = await rowsReadBy(async () => {
    const page = await owner.get<{ serial: string }[]>(`/applications/${owner.id}/${applicationId}/devices?limit=3`);
    expect(page.body.map(({ serial }) => serial)).toEqual(['s1', 's2', 's3']);
    expect(page.headers.get('x-total-count')).toBe(`${devices}`);
  });
  expect(read).toBeLessThan(devices);
});

it('reads only the devices shown for a page of a large product', async () => {
  const query = `query ($organizationId: ID!, $productId: ID!) {
    product(organizationId: $organizationId, productId: $productId) { devices(limit: 3) { items { serial } } }
  }`;
  const read = await rowsReadBy(async () => {
    const { body } = await owner.graph(query, { organizationId: owner.id, productId });
    const items = [{ serial: 's1' }, { serial: 's2' }, { serial: 's3' }];
    expect(body).toEqual({ data: { product: { devices: { items } } } });
  });
  expect(read).toBeLessThan(devices);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Service } from '#app/app.js';
import { useDatabase } from '../support/database.js';
import { execute } from '../support/server.js';
import { startTestService } from '../support/start-service.js';
import { createTenant, type Tenant } from '../support/tenant.js';

const database = useDatabase();
let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  const name = new URL(database.url).pathname.slice(1);
  const settings = [
    'standard_conforming_strings = off',
    'backslash_quote = off',
    "default_transaction_isolation = 'serializable'",
    "TimeZone = 'Asia/Kathmandu'",
    "DateStyle = 'German, DMY'",
    "IntervalStyle = 'iso_8601'",
    "bytea_output = 'escape'",
    'extra_float_digits = -15',
    'array_nulls = off',
    'transform_null_equals = on',
  ];
  for (const setting of settings) await execute(database.url, `alter database ${name} set ${setting}`);
  service = await startTestService(database.url);
  tenant = await createTenant({ ...service, databaseUrl: database.url });
});
afterAll(() => service.close());

describe('a database whose settings differ from the defaults', () => {
  it('stores and finds the values that were sent', async () => {
    const { owner, id } = tenant;
    const data = { text: "C:\\temp\\'quoted'\n", number: 0.1 + 0.2, large: 123456789.12345678, flag: true };
    const ts = 1_750_000_000.123456;
    const { body: device } = await owner.post<{ id: string }>(`/organizations/${id}/devices/a0-01`, {});
    const stored = await owner.post(`/organizations/${id}/records`, { serial: 'a0-01', ts, data });
    expect(stored.body).toMatchObject({ accepted: 1 });
    const { body } = await owner.get<{ values: object[] }>(`/devices/${id}/${device.id}/latest`);
    expect(body.values).toHaveLength(4);
    for (const [name, value] of Object.entries(data))
      expect(body.values).toContainEqual(expect.objectContaining({ name, value, ts }));
  });

  it('answers calls that change one thing at once without a refusal for load', async () => {
    const { owner, id } = tenant;
    const { body: team } = await owner.post<{ id: string }>(`/organizations/${id}/teams`, { name: 'Team' });
    const calls = Array.from({ length: 40 }, (_, n) => owner.put(`/teams/${id}/${team.id}`, { name: `N\\${n}` }));
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
    const posts = Array.from({ length: 40 }, (_, index) =>
      owner.post(`/organizations/${id}/records`, { serial: 'a0-01', data: { n: index } }),
    );
    expect((await Promise.all(posts)).map(({ status }) => status)).toEqual(posts.map(() => 200));
  });
});

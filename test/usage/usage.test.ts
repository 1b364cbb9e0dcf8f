import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createPool } from '#database/pools.js';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createToken } from '#operator/token.js';
import { foldUsage } from '#usage/usage.js';
import { Actor } from '../support/actor.js';
import { useDatabase } from '../support/database.js';
import { startTestService } from '../support/start-service.js';
import { type AccountActor, useWorld } from '../support/world.js';

interface UsageRow {
  day: string;
  productId?: string;
  applicationId?: string;
  records: number;
  bytes: number;
  deliveries: number;
  calls?: number;
}

describe('GET /organizations/:organizationId/usage', () => {
  const world = useWorld();
  let owner: AccountActor;
  let productId: string;
  let applicationId: string;
  let application: string;
  const serials = ['c0-01', 'c0-02'] as const;

  /** Creates an organization with a product, an application with a hook, a device of both, and a device of neither. */
  beforeAll(async () => {
    owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    const variables = [{ name: 'a', type: 'FLOAT32' }];
    productId = await owner.make(`${at}/products`, { name: 'Meter', version: '1', variables });
    applicationId = await owner.make(`${at}/applications`, { name: 'Town' });
    application = `/applications/${owner.id}/${applicationId}`;
    const deviceId = await owner.make(`${at}/devices/${serials[0]}`, { product: { id: productId } });
    await owner.make(`${at}/devices/${serials[1]}`);
    await owner.put(`${application}/devices/${deviceId}`);
    await owner.make(`${application}/hooks`, { url: 'http://127.0.0.1:9/' });
  });

  const usage = async (query = '', who: AccountActor = owner) => {
    const { status, body } = await who.get<UsageRow[]>(`/organizations/${who.id}/usage${query}`);
    expect(status).toBe(200);
    return body;
  };
  const post = (records: unknown) => owner.post(`/organizations/${owner.id}/records`, records);
  /** Folds the counts that the service has not folded yet. */
  const fold = async () => {
    while (await foldUsage(world.pool));
  };
  /** Folds until nothing is left, since the service folds too. */
  const foldAll = async () => {
    for (;;) {
      await fold();
      const { rows } = await world.pool.query('select from usage_delta where calls = 0 limit 1');
      if (rows.length === 0) return;
      await delay(20);
    }
  };

  it('counts each stored record once for organization, product and applications, before and after folding', async () => {
    await post([
      { serial: serials[0], data: { a: 1 }, key: 'once' },
      { serial: serials[0], data: { a: 2 } },
      { serial: serials[1], data: { b: 'x'.repeat(1000) } },
      { serial: 'ff', data: { a: 1 } },
    ]);
    await post([{ serial: serials[0], data: { a: 1 }, key: 'once' }]);
    const figures = async () => ({
      organization: await usage(),
      product: await usage('?by=product'),
      application: await usage('?by=application'),
    });
    const told = await figures();
    expect(told.organization).toEqual([expect.objectContaining({ records: 3, deliveries: 2 })]);
    expect(told.product).toEqual([expect.objectContaining({ productId, records: 2, deliveries: 2 })]);
    expect(told.application).toEqual([expect.objectContaining({ applicationId, records: 2, deliveries: 2 })]);
    const [whole, part] = [told.organization[0]!.bytes, told.product[0]!.bytes];
    expect(told.application[0]!.bytes).toBe(part);
    expect(whole - part).toBeGreaterThan(1000);
    expect(whole - part).toBeLessThan(1500);
    await foldAll();
    const withoutCalls = (row: UsageRow) => ({ ...row, calls: undefined });
    expect((await usage()).map(withoutCalls)).toEqual(told.organization.map(withoutCalls));
    expect(await usage('?by=product')).toEqual(told.product);
    expect(await usage('?by=application')).toEqual(told.application);
  });

  it('stays exact while many calls store records during folding', async () => {
    const [before] = await usage('?by=application');
    const calls = Array.from({ length: 60 }, (_, index) =>
      post(Array.from({ length: (index % 7) + 1 }, () => ({ serial: serials[0], data: { a: index } }))),
    );
    const folding = Array.from({ length: 6 }, fold);
    const answers = await Promise.all(calls);
    await Promise.all(folding);
    const stored = answers.reduce((sum, { body }) => sum + (body as { accepted: number }).accepted, 0);
    expect(stored).toBe(calls.reduce((sum, _call, index) => sum + (index % 7) + 1, 0));
    const after = async () => {
      const [row] = await usage('?by=application');
      return { records: row!.records - before!.records, deliveries: row!.deliveries - before!.deliveries };
    };
    expect(await after()).toEqual({ records: stored, deliveries: stored });
    await foldAll();
    expect(await after()).toEqual({ records: stored, deliveries: stored });
  });

  it('keeps the usage of a deleted product and device', async () => {
    const other = await world.organization();
    const at = `/organizations/${other.id}`;
    const product = await other.make(`${at}/products`, { name: 'Short', version: '1', variables: [] });
    const device = await other.make(`${at}/devices/c0`, { product: { id: product } });
    await other.post(`${at}/records`, { serial: 'c0', data: { a: 1 } });
    await other.delete(`/devices/${other.id}/${device}`);
    await other.delete(`/products/${other.id}/${product}`);
    await foldAll();
    expect(await usage('?by=product', other)).toEqual([expect.objectContaining({ productId: product, records: 1 })]);
  });

  it('filters by days, product and application, and hides other organizations', async () => {
    const today = (await usage())[0]!.day;
    expect(today).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(await usage(`?fromDay=${today}&toDay=${today}`)).toHaveLength(1);
    expect(await usage('?toDay=2020-01-31')).toEqual([]);
    expect(await usage(`?by=product&productId=${productId}`)).toHaveLength(1);
    expect(await usage(`?by=product&productId=${applicationId}`)).toEqual([]);
    expect(await usage('?by=product&productId=nonsense')).toEqual([]);
    for (const day of ['2026-02-30', 'today', '2026-1-1', '0000-01-01']) {
      expect(await owner.get(`/organizations/${owner.id}/usage?fromDay=${day}`)).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'fromDay', message: 'must be a day such as 2026-11-20' }] },
      });
    }
    const other = await world.organization();
    expect(await usage('?by=product', other)).toEqual([]);
    expect((await other.get(`/organizations/${owner.id}/usage`)).status).toBe(404);
  });
});

describe('call count in usage', () => {
  const database = useDatabase();

  it('includes every operation of a batch, and is saved when the service stops', async () => {
    const service = await startTestService(database.url);
    let closed: Promise<void> | undefined;
    const close = () => (closed ??= service.close());
    const pool = createPool(database.url, { max: 1 });
    try {
      const account = { username: 'caller', email: 'caller@example.com' };
      const id = await createAccount(pool, AccountType.organization, account, new Date());
      const { token } = await createToken(pool, { organizationId: id }, new Date());
      const actor = new Actor(service.url, token);
      await actor.get('/account');
      await actor.get('/nowhere');
      await actor.graph('{ account { id } }');
      await actor.postGraph([{ query: '{ account { id } }' }, { query: '{ account { id } }' }]);
      await close();
      const { rows } = await pool.query<{ calls: number }>(
        `select sum(calls)::int as calls from (
           select calls from usage_day where organization_id = $1 union all
           select calls from usage_delta where organization_id = $1) used`,
        [id],
      );
      expect(rows).toEqual([{ calls: 4 }]);
    } finally {
      await close();
      await pool.end();
    }
  });
});

describe('folding of usage', () => {
  const world = useWorld();

  it('runs in the service by itself', async () => {
    const owner = await world.organization();
    await owner.make(`/organizations/${owner.id}/devices/c0`);
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0', data: { a: 1 } });
    const added = async () =>
      (
        await world.pool.query<{ records: number; called: boolean }>(
          'select records::int, calls > 0 as called from usage_day where organization_id = $1',
          [owner.id],
        )
      ).rows;
    // Calls and records are counted apart.
    let found = await added();
    for (; !(found[0]?.called && found[0].records > 0); found = await added()) await delay(50);
    expect(found).toEqual([{ records: 1, called: true }]);
  });
});

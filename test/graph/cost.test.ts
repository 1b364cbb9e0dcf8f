import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
const applications = 30;
const devices = 40;

let owner: AccountActor;

beforeAll(async () => {
  owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  await world.pool.query(
    `insert into application (id, organization_id, name, slug, created_at, updated_at)
     select gen_random_uuid(), $1, 'A' || n, 'a' || n, now(), now() from generate_series(1, $2) n`,
    [owner.id, applications],
  );
  await world.pool.query(
    `insert into device (id, organization_id, serial, slug, created_at, updated_at)
     select gen_random_uuid(), $1, 'aa-' || lpad(n::text, 4, '0'), 'aa-' || n, now(), now() from generate_series(1, $2) n`,
    [owner.id, devices],
  );
  await world.pool.query(
    `insert into application_device (organization_id, application_id, device_id, created_at)
     select a.organization_id, a.id, d.id, now()
       from (select * from application where organization_id = $1 order by id limit 4) a,
            (select * from device where organization_id = $1) d`,
    [owner.id],
  );
  await owner.post(`${at}/records`, { serial: 'aa-0001', data: { t: 1 } });
});

const ask = (selection: string) =>
  owner.graph(`query ($o: ID!) { organization(organizationId: $o) { ${selection} } }`, { o: owner.id });

describe('cost of a GraphQL request', () => {
  it('allows a screen of applications with devices and latest values, although each list could be long', async () => {
    const { status, body } = await ask(
      'applications { items { name devices(limit: 50) { totalCount items { name latest { name value } } } } }',
    );
    expect(body.errors).toBeUndefined();
    expect(status).toBe(200);
    expect(body.data!['organization'].applications.items).toHaveLength(10);
  });

  it('refuses nested lists before it reads them, and names a limit that would pass', async () => {
    const wide = (limit: number) =>
      ask(`applications(limit: 100) { items { id devices(limit: ${limit}) { items { id } } } }`);
    const { status, body } = await wide(1000);
    expect(status).toBe(422);
    expect(body.data).toBeUndefined();
    expect(body.errors).toMatchObject([
      {
        message:
          'This request may return 30,030 objects; at most 25,000 are allowed. `organization.applications.items.devices` costs most: with `limit: 832` it would pass.',
        extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'cost' }] },
      },
    ]);
    expect((await wide(832)).body.errors).toBeUndefined();
  });

  it('names the most expensive list and a limit that would pass', async () => {
    const document = (limit: number) => `query ($o: ID!) {
      ${Array.from({ length: 23 }, (_, i) => `a${i}: products(organizationId: $o, limit: 1000) { items { id } }`).join(' ')}
      wide: devices(organizationId: $o, limit: ${limit}) { items { id product { id organization { id } } } } }`;
    const { body } = await owner.graph(document(1000), { o: owner.id });
    const message = body.errors![0]!.message;
    expect(message).toContain('may return 26,000 objects');
    expect(message).toContain('`wide` costs most: with `limit: 666` it would pass.');
    expect((await owner.graph(document(666), { o: owner.id })).body.errors).toBeUndefined();
  });

  it('charges parallel lists for what they returned instead of their limits', async () => {
    const one = 'applications(limit: 20) { items { id devices(limit: 1000) { items { id } } } }';
    const { body } = await ask(`a: ${one} b: ${one} c: ${one} d: ${one}`);
    expect(body.errors).toBeUndefined();
    const lists = ['a', 'b', 'c', 'd'].map((name) => body.data!['organization'][name].items);
    expect(lists.map((items) => items.length)).toEqual([20, 20, 20, 20]);
    expect(new Set(lists.map((items) => JSON.stringify(items))).size).toBe(1);
  });

  it('stays the same for a cached query as for a new one', async () => {
    const document = 'applications(limit: 100) { items { devices(limit: 1000) { items { serial } } } }';
    const answers = [await ask(document), await ask(document), await ask(document)];
    expect(new Set(answers.map(({ body }) => body.errors?.[0]?.message)).size).toBe(1);
  });

  it('stops a request whose lists turn out to hold too many objects', async () => {
    const aliases = Array.from(
      { length: 29 },
      (_, i) => `a${i}: applications(limit: 4) { items { organization { id } } }`,
    ).join(' ');
    const { body } = await ask(`applications(limit: 4) { items { devices(limit: 40) { items { ${aliases} } } } }`);
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'cost' }] } }]);
    expect(body.errors![0]!.message).toMatch(/costs most: with `limit: \d+` on every list it would pass\.$/);
  });
});

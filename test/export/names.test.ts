import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { OnlineSteps } from '#database/online-steps.js';
import { Role } from '#entities/enums.js';
import { FieldProduct } from '../../migrations/20261129-56-field-product.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
/** A member who may read the first application only. */
let reader: AccountActor;
/** Applications whose devices have a product each, and one whose device has none. */
let first: string;
let second: string;
let bare: string;

const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}`, index]));
const send = async (...records: object[]) =>
  expect((await owner.post<any>(`/organizations/${owner.id}/records`, records)).body.accepted).toBe(records.length);
/** Asks the Elasticsearch interface. */
const ask = async ({ base, token }: AccountActor, path: string) => {
  const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return (await response.json()) as any;
};
const mappingOf = async (actor: AccountActor, application: string) => {
  const body = await ask(actor, `${application}/elasticsearch/records/_mapping`);
  return body.records.mappings.properties as Record<string, { properties?: object }>;
};
const dataOf = async (actor: AccountActor, application: string) =>
  Object.keys((await mappingOf(actor, application))['data']?.properties ?? {});
const headerOf = async (actor: AccountActor, application: string) =>
  (await actor.get<string>(`${application}/export`)).body.split('\r\n', 1)[0]!.split(',').slice(5);

beforeAll(async () => {
  owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const applicationOf = async (name: string, serial: string, variables?: object[]) => {
    const application = `/applications/${owner.id}/${await owner.make(`${at}/applications`, { name })}`;
    const product = variables && (await owner.make(`${at}/products`, { name, version: '1', variables }));
    const device = await owner.make(`${at}/devices/${serial}`, product ? { product: { id: product } } : {});
    await owner.put(`${application}/devices/${device}`);
    return application;
  };
  first = await applicationOf('First', '0a-01', []);
  second = await applicationOf('Second', '0a-02', [{ name: 'declared', type: 'TXT' }]);
  bare = await applicationOf('Bare', '0a-03');
  await send({ serial: '0a-02', ts: 1_700_000_000, data: { shared: 'text', ...many }, metadata: { secret: 1 } });
  await send(
    { serial: '0a-01', ts: 1_700_000_001, data: { shared: 5, zone: { own: 1 } }, metadata: { rssi: -90 } },
    { serial: '0a-03', ts: 1_700_000_002, data: { alone: true } },
  );
  reader = await world.member(owner, Role.member);
  const team = await owner.make(`${at}/teams`, { name: 'Readers' });
  await owner.put(`/teams/${owner.id}/${team}/members/${reader.id}`);
  await owner.put(`/teams/${owner.id}/${team}${first.replace(`/${owner.id}`, '')}`, { permission: 'read' });
});

describe('catalogue of the fields of an application', () => {
  it('names in a default export and the mapping only what its own products declare or send', async () => {
    expect(await headerOf(reader, first)).toEqual(['data.shared', 'data.zone.own']);
    expect((await headerOf(owner, bare)).toSorted()).toEqual(['data.alone']);
    expect((await dataOf(reader, first)).toSorted()).toEqual(['shared', 'zone']);
    expect(Object.keys((await mappingOf(reader, first))['metadata']!.properties!)).toEqual(['rssi']);
    expect((await dataOf(owner, second)).toSorted()).toEqual(['declared', 'shared', ...Object.keys(many)].toSorted());
    expect(await dataOf(owner, bare)).toEqual(['alone']);
    const { fields } = await ask(reader, `${first}/elasticsearch/records/_field_caps?fields=data.*`);
    expect(Object.keys(fields).toSorted()).toEqual(['data', 'data.shared', 'data.zone', 'data.zone.own']);
  });

  it('has the types of the organization', async () => {
    expect(await mappingOf(reader, first)).toMatchObject({ data: { properties: { shared: { type: 'keyword' } } } });
  });

  it('gains a field when its devices send it, even if other devices sent it before', async () => {
    await send({ serial: '0a-01', ts: 1_700_000_003, data: { f7: 1 } });
    expect(await headerOf(reader, first)).toEqual(['data.f7', 'data.shared', 'data.zone.own']);
    expect(await dataOf(owner, bare)).toEqual(['alone']);
  });

  it('comes from the newest and oldest records of each device after an upgrade', async () => {
    const noted = async () =>
      (
        await world.pool.query(
          'select * from record_field_product where organization_id = $1 order by path, product_id',
          [owner.id],
        )
      ).rows;
    const before = await noted();
    await world.pool.query('delete from record_field_product where organization_id = $1', [owner.id]);
    await world.pool.query('update record_field set by_product = false where organization_id = $1', [owner.id]);
    expect(await dataOf(owner, bare)).toEqual(expect.arrayContaining(['alone', 'shared', 'f599']));
    const client = new pg.Client({ connectionString: world.databaseUrl });
    await client.connect();
    await FieldProduct.prototype.steps(new OnlineSteps(client));
    await client.end();
    expect(await noted()).toEqual(before);
    expect(before.length).toBeGreaterThan(600);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refillPlace } from '#records/opensearch/log/refill.js';
import { purgeDocuments, retireDocuments } from '#records/opensearch/log/retire.js';
import { makeNextIndex } from '#records/opensearch/next-index.js';
import { purgeDevices } from '#records/postgres/upkeep/purge.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { type IndexedDocument, readDocuments } from './index-reader.js';
import { openParts } from './parts.js';

const world = useWorld({});
let parts: ReturnType<typeof openParts>;
beforeAll(() => {
  parts = openParts(world.pool, world.databaseUrl);
});
afterAll(() => parts.client.close());

const goOn = () => false;

/** Posts records of a device, and resolves when they are indexed. */
const post = async (organization: AccountActor, serial: string, items: readonly object[]): Promise<void> => {
  const body = items.map((item) => ({ serial, ...item }));
  const answer = await organization.post<{ accepted: number }>(`/organizations/${organization.id}/records`, body);
  expect(answer.body.accepted).toBe(items.length);
  await parts.fresh(organization.id);
};

const device = (organization: AccountActor, serial: string, productId?: string) =>
  organization.make(
    `/organizations/${organization.id}/devices/${serial}`,
    productId ? { product: { id: productId } } : {},
  );

const product = (organization: AccountActor, variables: readonly object[]) =>
  organization.make(`/organizations/${organization.id}/products`, { name: 'p', version: '1', variables });

/** Returns the documents of an organization with the values of a path, in order of storing. */
const documents = async (
  organization: AccountActor,
  path?: string,
): Promise<(IndexedDocument & { values: unknown[] })[]> => {
  const { rows } = await world.pool.query<{ field: string }>(
    'select field from index_place where organization_id = $1 and path = $2 order by kind',
    [organization.id, path ?? ''],
  );
  const found = await readDocuments(world.databaseUrl, ['o', ...rows.map(({ field }) => field)]);
  return found
    .filter(({ fields }) => fields['o']![0] === organization.id)
    .map((one) => ({ ...one, values: rows.map(({ field }) => one.fields[field]?.[0]) }));
};

interface Job {
  id: string;
  state: string;
  total: number;
  changed: number;
}

const jobDone = async (organization: AccountActor, id: string): Promise<Job> => {
  let job: Job | undefined;
  await until(async () => {
    job = (await organization.get<Job>(`/organizations/${organization.id}/jobs/${id}`)).body;
    return job.state === 'done' || job.state === 'failed';
  });
  return job!;
};

describe('maintenance of an index on a cluster', () => {
  it('redecodes each record once with the current types of its product', async () => {
    const organization = await world.organization();
    const productId = await product(organization, [{ name: 'level', type: 'TXT' }]);
    await device(organization, 'a1', productId);
    await post(organization, 'a1', [{ data: { level: '1' } }, { data: { level: 'high' } }, { data: { other: 1 } }]);
    const path = `/products/${organization.id}/${productId}`;
    await organization.put(path, { name: 'p', version: '2', variables: [{ name: 'level', type: 'INT16' }] });
    const redecode = async (body: object) => jobDone(organization, await organization.make(`${path}/redecode`, body));
    expect(await redecode({ dryRun: true })).toMatchObject({ state: 'done', total: 3, changed: 2 });
    expect(await redecode({})).toMatchObject({ state: 'done', total: 3, changed: 2 });
    expect(await redecode({})).toMatchObject({ state: 'done', total: 3, changed: 0 });
    const found = await documents(organization, 'data.level');
    expect(found.map(({ _version, values }) => [_version, values])).toEqual([
      [2, [undefined, 1]],
      [2, [undefined, undefined]],
      [1, [undefined, undefined]],
    ]);
    expect(found[1]!._source.ig).toEqual(['data.level']);
  });

  it('replays records to a hook, including the newest ones', async () => {
    const organization = await world.organization();
    const deviceId = await device(organization, 'a1');
    const applicationId = await organization.make(`/organizations/${organization.id}/applications`, { name: 'a' });
    await organization.put(`/applications/${organization.id}/${applicationId}/devices/${deviceId}`);
    const times = Array.from({ length: 1500 }, (_, n) => 1_780_000_000 + n);
    const items = times.map((ts) => ({ serial: 'a1', ts, data: { n: ts } }));
    await organization.post(`/organizations/${organization.id}/records`, items.slice(0, 1000));
    await organization.post(`/organizations/${organization.id}/records`, items.slice(1000));
    const hooks = `/applications/${organization.id}/${applicationId}/hooks`;
    const hookId = await organization.make(hooks, { url: 'http://127.0.0.1:9/' });
    const id = await organization.make(`${hooks}/${hookId}/replay`, { from: times[10], to: times.at(-1) });
    expect(await jobDone(organization, id)).toMatchObject({ state: 'done', total: 1490, changed: 1490 });
    const { rows } = await world.pool.query<{ records: number }>(
      'select count(distinct record_id)::int as records from delivery where hook_id = $1',
      [hookId],
    );
    expect(rows[0]!.records).toBe(1490);
  });

  it('deletes the records of a deleted device, including those still being indexed', async () => {
    const organization = await world.organization();
    const gone = await device(organization, 'a1');
    await device(organization, 'b1');
    await post(organization, 'a1', [{ data: { n: 1 } }, { data: { n: 2 } }]);
    await post(organization, 'b1', [{ data: { n: 3 } }]);
    await organization.delete(`/devices/${organization.id}/${gone}`);
    const later = new Date(Date.now() + 120_000);
    const purge = (one: { deviceId: string; deletedAt: string }) => purgeDocuments(parts, one);
    await until(async () => {
      while (await purgeDevices(world.pool, later, purge));
      return (await documents(organization)).length === 1;
    });
    // Writes as an indexer does that was paused before the deletion and resumes after it: the index refuses its
    // documents.
    const { rows } = await world.pool.query<{ id: string; ts: string }>(
      'select id, extract(epoch from ts) as ts from journal.record where device_id = $1',
      [gone],
    );
    const late = rows.map(({ id, ts }) => ({
      id,
      index: parts.names.of(Number(ts)),
      routing: organization.id,
      version: 1,
      document: '{}',
    }));
    expect(await parts.writer.write(late)).toMatchObject({ there: 2, refused: [] });
    expect((await documents(organization)).map(({ _source }) => _source.src)).toEqual([
      '{"metadata":{},"data":{"n": 3}}',
    ]);
  });

  it("creates next month's index once, two days early, with the current mapping", async () => {
    const organization = await world.organization();
    await device(organization, 'a1');
    await post(organization, 'a1', [{ ts: Date.UTC(2004, 4, 10) / 1000, data: { n: 1.5, text: 'x' } }]);
    const [present, next] = [4, 5].map((month) => parts.names.of(Date.UTC(2004, month) / 1000));
    const make = (time: string) => makeNextIndex(parts, Date.parse(time));
    expect(await make('2004-05-29T23:59:59Z')).toBeUndefined();
    const made = await Promise.all(['2004-05-31T01:00:00Z', '2004-05-31T01:00:01Z'].map(make));
    expect(made.filter((index) => index !== undefined)).toEqual([next]);
    const mappingsOf = async (index: string) =>
      (await parts.client.indices.getMapping({ index })).body[index]!.mappings;
    expect(await mappingsOf(next!)).toEqual(await mappingsOf(present!));
    expect((await parts.client.indices.existsAlias({ index: next!, name: parts.names.alias })).body).toBe(true);
    expect(await make('2004-05-31T02:00:00Z')).toBeUndefined();
    await post(organization, 'a1', [{ ts: Date.UTC(2004, 5, 1) / 1000, data: { n: 2.5 } }]);
    const found = await documents(organization, 'data.n');
    expect(found.map(({ values }) => values)).toEqual([[1.5], [2.5]]);
  });

  it('deletes records past their retention, by product or organization', async () => {
    const organization = await world.organization();
    const productId = await product(organization, []);
    await device(organization, 'a1', productId);
    await device(organization, 'b1');
    const old = { ts: Date.now() / 1000 - 40 * 86_400, data: { n: 1 } };
    await post(organization, 'a1', [old, { data: { n: 2 } }]);
    await post(organization, 'b1', [old, { data: { n: 3 } }]);
    await world.pool.query(
      `insert into record_retention (organization_id, product_id, keep) values ($1, null, '30 days'), ($1, $2, '50 days')`,
      [organization.id, productId],
    );
    expect(await retireDocuments(parts, new Date(), goOn)).toMatchObject({ records: 1 });
    expect(await documents(organization)).toHaveLength(3);
    await world.pool.query(`update record_retention set keep = '30 days' where product_id = $1`, [productId]);
    expect(await retireDocuments(parts, new Date(), goOn)).toMatchObject({ records: 1 });
    expect(await documents(organization)).toHaveLength(2);
  });

  it('adds the fields of a changed product to older records', async () => {
    const organization = await world.organization();
    await device(organization, 'b1');
    await post(organization, 'b1', [{ data: { level: 7 } }]);
    const productId = await product(organization, [{ name: 'level', type: 'TXT' }]);
    await device(organization, 'a1', productId);
    await post(organization, 'a1', [{ data: { level: 'high' } }]);
    expect((await documents(organization, 'data.level')).map(({ values }) => values)).toEqual([
      [undefined, 7],
      ['high', undefined],
    ]);
    await world.pool.query(`update index_refill set created_at = now() - interval '1 hour'`);
    while (await refillPlace(parts, goOn));
    expect((await documents(organization, 'data.level')).map(({ values }) => values)).toEqual([
      ['7', 7],
      ['high', undefined],
    ]);
  });

  it('reserves room for declared variables when devices have sent more names than there are fields', async () => {
    const organization = await world.organization();
    const productId = await product(organization, [{ name: 'level', type: 'FLOAT32' }]);
    await device(organization, 'a1', productId);
    await world.pool.query(
      `insert into index_place (organization_id, path, kind, field)
       select $1, 'data.x' || n, 'n', 'n' || n from generate_series(1, 2000) n`,
      [organization.id],
    );
    await post(organization, 'a1', [{ data: { level: 7, other: 8 } }]);
    expect((await documents(organization, 'data.level')).map(({ values }) => values)).toEqual([[7]]);
    const { rows } = await world.pool.query(
      `select path, field from index_place where organization_id = $1 and path not like 'data.x%'`,
      [organization.id],
    );
    expect(rows).toEqual([{ path: 'data.level', field: 'n2001' }]);
  });
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { transaction } from '#database/transaction.js';
import { claimBatches } from '#records/opensearch/journal/claim.js';
import { runCommand } from '../support/command.js';
import { recordIndexSettings } from '../support/record-index.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { countDocuments, deleteIndices, readDocuments } from './index-reader.js';

const world = useWorld({});

const waiting = async (): Promise<number> => {
  const { rows } = await world.pool.query<{ count: number }>('select count(*)::int as count from record_batch');
  return rows[0]!.count;
};

/** Resolves when all stored records are indexed. */
const indexed = () => until(async () => (await waiting()) === 0);

const post = (organization: AccountActor, items: object[]) =>
  organization.post<{ accepted: number }>(`/organizations/${organization.id}/records`, items);

describe('indexing of records on a cluster', () => {
  it('writes each record once, with every value in its field and the rest in the source', async () => {
    const organization = await world.organization();
    const variables = [
      { name: 'temperature', type: 'FLOAT32' },
      { name: 'count', type: 'INT64' },
      { name: 'on', type: 'BOOL' },
      { name: 'state', type: 'TXT' },
    ];
    const productId = await organization.make(`/organizations/${organization.id}/products`, {
      name: 'p',
      version: '1',
      variables,
    });
    await organization.make(`/organizations/${organization.id}/devices/a1`, { product: { id: productId } });
    await organization.make(`/organizations/${organization.id}/devices/b1`);
    const items = [
      {
        serial: 'A1',
        ts: 1_780_000_000.5,
        data: { temperature: 21.5, count: '9007199254740993', on: true, state: 'up' },
      },
      {
        serial: 'B1',
        ts: 1_780_000_001,
        data: { temperature: '7', on: 'false', other: [1, 2.5] },
        metadata: { rssi: -70 },
      },
      { serial: 'A1', ts: 1_780_000_002, data: { temperature: 'warm', in: { out: 2 }, 'in.out': 1 } },
    ];
    expect((await post(organization, items)).body).toMatchObject({ accepted: 3 });
    await indexed();
    const { rows: places } = await world.pool.query<{ path: string; kind: string; field: string }>(
      'select path, kind, field from index_place where organization_id = $1',
      [organization.id],
    );
    const field = (path: string, kind: string) => places.find((one) => one.path === path && one.kind === kind)!.field;
    const [a, b, c] = await readDocuments(world.databaseUrl, [...places.map((one) => one.field), 'us', 'shape', 'ig']);
    expect(a!.fields).toMatchObject({
      us: [1_780_000_000_500_000],
      [field('data.temperature', 'n')]: [21.5],
      [field('data.on', 'b')]: [1],
      [field('data.state', 'k')]: ['up'],
    });
    expect(String(a!.fields[field('data.count', 'l')]![0])).toMatch(/^900719925474099[23]$/);
    expect(b!.fields).toMatchObject({
      [field('data.temperature', 'n')]: [7],
      [field('data.on', 'b')]: [0],
      [field('data.other', 'n')]: [1, 2.5],
      [field('metadata.rssi', 'n')]: [-70],
    });
    expect(b!.fields['shape']).toBeUndefined();
    expect(c!.fields[field('data.temperature', 'n')]).toBeUndefined();
    // The first of two values with the same path counts.
    expect(c!.fields[field('data.in.out', 'n')]).toEqual([2]);
    expect(c!._source.ig).toEqual(['data.temperature']);
    expect(JSON.parse(b!._source.src)).toEqual({ metadata: { rssi: -70 }, data: items[1]!.data });
    expect([a, b, c].map((one) => one!._version)).toEqual([1, 1, 1]);
  });

  it('repeats a batch whose indexer died, without a duplicate', async () => {
    const organization = await world.organization();
    await organization.make(`/organizations/${organization.id}/devices/a1`);
    const before = await countDocuments(world.databaseUrl);
    await post(
      organization,
      Array.from({ length: 50 }, (_, n) => ({ serial: 'A1', data: { n } })),
    );
    await indexed();
    // Simulates an indexer that died after it wrote the documents: its lease expires.
    await transaction(world.pool, async (tx) => {
      await tx.query(`
        insert into record_batch (organizations, low, high, records, bytes)
        select array[organization_id], min(id::text)::uuid, max(id::text)::uuid, count(*), 1
          from journal.record where organization_id = '${organization.id}' group by organization_id`);
      expect(await claimBatches(tx, randomUUID(), 1)).toHaveLength(1);
    });
    await indexed();
    expect(await countDocuments(world.databaseUrl)).toBe(before + 50);
  }, 60_000);

  const repair = async () => {
    const { stdout } = await runCommand(['index', 'repair', '--json'], {
      DATABASE_URL: world.databaseUrl,
      ...recordIndexSettings(world.databaseUrl),
    });
    await indexed();
    return JSON.parse(stdout) as { queued: string; deleted: string };
  };

  it('repairs lost documents from the journal, except those of deleted devices', async () => {
    const organization = await world.organization();
    await organization.make(`/organizations/${organization.id}/devices/a1`);
    const gone = await organization.make(`/organizations/${organization.id}/devices/b1`);
    await post(
      organization,
      ['a1', 'a1', 'b1'].map((serial, n) => ({ serial, data: { n } })),
    );
    await indexed();
    const all = await countDocuments(world.databaseUrl);
    // Simulates a device that is deleted while its records are copied to the cluster.
    await world.pool.query('delete from device where id = $1', [gone]);
    await world.pool.query('delete from record_sweep');
    expect(await repair()).toEqual({ queued: String(all), deleted: '1' });
    expect(await countDocuments(world.databaseUrl)).toBe(all - 1);
    await deleteIndices(world.databaseUrl);
    expect(await countDocuments(world.databaseUrl)).toBe(0);
    expect(await repair()).toEqual({ queued: String(all), deleted: '0' });
    expect(await countDocuments(world.databaseUrl)).toBe(all - 1);
  });
});

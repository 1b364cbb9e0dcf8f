import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { readConfig } from '#config/config.js';
import { fine, type Receiver, startReceiver } from '../../hooks/receiver.js';
import { useService } from '../../support/service.js';
import { createTenant, type Tenant } from '../../support/tenant.js';
import { counts, importing } from '../imported.js';

const service = useService({ config: { hooks: { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'] } } });

const parquet = { 'content-type': 'application/vnd.apache.parquet' };

interface SearchAnswer {
  responses: {
    hits: { total: { value: number }; hits: { _source: { ts: number; data: object; metadata: object } }[] };
    aggregations?: { by: { buckets: { doc_count: number; mean: { value: number } }[] } };
  }[];
}

describe('record import from Parquet', () => {
  let tenant: Tenant;
  let files: ReturnType<typeof importing>;
  let applicationId: string;
  let receiver: Receiver;
  const make = async (path: string, body: object = {}) => (await tenant.owner.post<{ id: string }>(path, body)).body.id;
  const search = async (query: object, ts = { gte: 1_600_000_000, lte: 1_800_000_000 }) =>
    (
      await tenant.owner.post<SearchAnswer>(`/applications/${tenant.id}/${applicationId}/search`, {
        ts,
        queries: [{ products: [], size: 100, sort: [{ ts: 'asc' }], ...query }],
      })
    ).body.responses[0]!;
  const of = (serial: string) => ({ query: { term: { 'device.serial': serial } } });
  const device = async (serial: string, productId?: string) => {
    const body = productId === undefined ? {} : { product: { id: productId } };
    const id = await make(`/organizations/${tenant.id}/devices/${serial}`, body);
    await tenant.owner.put(`/applications/${tenant.id}/${applicationId}/devices/${id}`);
    return id;
  };

  beforeAll(async () => {
    tenant = await createTenant(service);
    files = importing(tenant);
    applicationId = await make(`/organizations/${tenant.id}/applications`, { name: 'History' });
    receiver = await startReceiver(fine);
    await make(`/applications/${tenant.id}/${applicationId}/hooks`, { url: receiver.url('/records') });
  });
  afterAll(() => receiver.close());

  it('imports the rows of all row groups', async () => {
    await device('a3-01');
    const rows = Array.from({ length: 2500 }, (_, index) => index);
    const start = 1_714_000_000_000;
    const file = Buffer.from(
      parquetWriteBuffer({
        columnData: [
          { name: 'serial', data: rows.map((row) => (row === 2400 ? 'a3-ff' : 'a3-01')), type: 'STRING' },
          { name: 'ts', data: rows.map((row) => new Date(start + row * 1000)), type: 'TIMESTAMP' },
          { name: 'level', data: rows.map((row) => row / 4), type: 'DOUBLE' },
          { name: 'count', data: rows.map((row) => BigInt(row)), type: 'INT64' },
          { name: 'open', data: rows.map((row) => row % 2 === 0), type: 'BOOLEAN' },
        ],
        rowGroupSize: 1000,
      }),
    );
    const checked = await files.whole('/records', file, parquet);
    expect(checked).toMatchObject({ format: 'parquet', lines: 2500, created: 2499, rejected: 1 });
    expect(checked.faults).toMatchObject([{ line: 2401, field: 'serial' }]);
    expect(counts(await files.apply(checked.id))).toEqual(counts(checked));
    const found = await search({ ...of('a3-01'), size: 2, track_total_hits: true });
    expect(found.hits.total.value).toBe(2499);
    expect(found.hits.hits[1]!._source).toMatchObject({
      ts: 1_714_000_001,
      data: { level: 0.25, count: 1, open: false },
    });
    expect(counts(await files.whole('/records?dryRun=false', file, parquet))).toMatchObject({
      created: 0,
      unchanged: 2499,
    });
  }, 120_000);
});

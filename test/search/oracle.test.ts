import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { VariableType } from '../../src/entities/enums.js';
import type { PlainJson } from '../../src/json.js';
import { type Document, Generator } from './oracle-body.js';
import { differences, type Plain } from './oracle-compare.js';
import { useWorld } from './world.js';

const url = process.env['OPENSEARCH_URL'];
const cases = Number(process.env['ORACLE_CASES'] ?? 5000);
const seed = Number(process.env['ORACLE_SEED'] ?? 1);
const generator = new Generator(seed);
const documents: Document[] = Array.from({ length: 120 }, (_, index) => generator.document(index));

const world = useWorld({
  products: {
    probe: [
      { name: 't', type: VariableType.FLOAT32 },
      { name: 'n', type: VariableType.INT64 },
      { name: 'on', type: VariableType.BOOL },
      { name: 'txt', type: VariableType.TXT },
    ],
  },
  devices: [{ serial: '01', name: 'd1', product: 'probe' }],
  records: documents.map(({ ts, metadata, data }) => ({
    serial: '01',
    ts,
    metadata,
    data: data as { [key: string]: PlainJson },
  })),
});

const send = async (method: 'PUT' | 'POST' | 'DELETE', path: string, body?: string): Promise<Plain> => {
  const response = await request(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });
  return (await response.body.json()) as Plain;
};

const mapping = {
  settings: { number_of_shards: 1, number_of_replicas: 0 },
  mappings: {
    properties: {
      ts: { type: 'date' },
      metadata: { properties: { number: { type: 'double' }, rssi: { type: 'double' }, provider: { type: 'keyword' } } },
      data: {
        properties: { t: { type: 'double' }, n: { type: 'long' }, on: { type: 'boolean' }, txt: { type: 'keyword' } },
      },
    },
  },
};

(url === undefined ? describe.skip : describe)('OpenSearch and we', () => {
  beforeAll(async () => {
    await send('DELETE', '/oracle');
    await send('PUT', '/oracle', JSON.stringify(mapping));
    const lines = documents.flatMap(({ ts, ...rest }) => [{ index: {} }, { ts: ts * 1000, ...rest }]);
    await send('POST', '/oracle/_bulk?refresh=true', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }, 60_000);

  it(`give the same answers to ${cases} bodies from seed ${seed}`, async () => {
    const found: string[] = [];
    for (let index = 0; index < cases && found.length < 40; index += 1) {
      const body = generator.body() as Plain;
      const [ours, theirs] = await Promise.all([
        world.ask(body as PlainJson),
        send('POST', '/oracle/_search', JSON.stringify(body)),
      ]);
      const different = differences(body, ours as unknown as Plain, theirs);
      if (different.length > 0) found.push(`${JSON.stringify(body)}\n  ${different.slice(0, 4).join('\n  ')}`);
    }
    expect(found.join('\n')).toBe('');
  }, 3_600_000);
});

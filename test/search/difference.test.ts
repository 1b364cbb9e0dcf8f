import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseJson } from '#json/reader.js';
import { differences } from './oracle/compare.js';
import { devices, mapping, variables } from './oracle/document.js';
import { connect } from './oracle/engine.js';
import type { Plain } from './oracle/plain.js';
import { useWorld, type WorldRecord } from './world.js';

/**
 * Queries that `npm run test:oracle` once answered differently, each with a name and the answer of OpenSearch 2.4.1
 * over {@link records} (`test/data/search/differences.jsonl`). `RECORD_DIFFERENCES=1` with `OPENSEARCH_URL` records the
 * answers again.
 */
interface Recorded {
  readonly name: string;
  readonly body: Plain;
  readonly answer?: Plain;
}

const file = new URL('../../../test/data/search/differences.jsonl', import.meta.url);
const recorded = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);
const url = process.env['RECORD_DIFFERENCES'] === '1' ? process.env['OPENSEARCH_URL'] : undefined;

const numbered = (records: readonly Omit<WorldRecord, 'metadata'>[]): WorldRecord[] =>
  records.map((record, index) => ({
    ...record,
    metadata: { number: index + 1, provider: ['lora', 'sigfox', 'wifi'][index % 3]!, level: 100 * index, rssi: -90 },
  }));
const at = (text: string) => Date.parse(text) / 1000;

/**
 * The records have missing, null and repeated values, ties, locations on both sides of the date line and none, and a
 * day of 23 hours.
 */
const records = numbered([
  { serial: '00', ts: at('2026-03-28T22:30:00Z'), data: { t: 1.5, n: 1, k: 0, on: true, txt: 'abc', w: 'red' } },
  { serial: '00', ts: at('2026-03-29T00:30:00Z'), data: { t: 20.1, n: 2, k: 1, on: false, txt: 'ABC', x: 0.1 } },
  { serial: '01', ts: at('2026-03-29T01:30:00Z'), data: { t: [1, 3], n: [3, 4], k: 2, txt: ['abc', 'x'] } },
  { serial: '02', ts: at('2026-03-29T22:30:00Z'), data: { t: null, n: 10, k: 128, on: true, txt: 'y z', w: 'green' } },
  { serial: '03', ts: at('2026-03-30T10:00:00Z'), data: { t: -3, k: 255, on: [true, false], txt: 'été' } },
  { serial: '04', ts: at('2026-04-05T10:00:00Z'), data: { t: 2.5, n: 1, k: 1, txt: '', x: -0.5, w: 'red' } },
  { serial: '05', ts: at('2026-10-25T00:30:00Z'), data: { n: 4, k: 1, on: false, txt: 'abd', big: 7 } },
  { serial: '06', ts: at('2026-10-25T01:30:00Z'), data: { t: 20.5, n: -5, txt: '10', big: '9007199254740993' } },
  { serial: '07', ts: at('2026-10-25T01:30:00.500Z'), data: { t: 0, n: 100, k: 2, on: true, txt: 'abc' } },
  { serial: '08', ts: at('2026-11-02T12:00:00Z'), data: {} },
]);

const world = useWorld({ products: { probe: variables }, devices, records });

const ask = async (body: Plain): Promise<Plain> => {
  const lines = parseJson(JSON.stringify([{}, body]));
  const { organizationId, applicationId } = world;
  const { responses } = await world.search.prepareMulti(lines)({ organizationId, applicationId });
  return responses[0] as unknown as Plain;
};

/** Asks OpenSearch every query, over an index of the same records that is deleted afterwards. */
const record = async (): Promise<Recorded[]> => {
  const engine = connect(url!);
  const index = `/differences-${process.pid}`;
  await engine.send('PUT', index, JSON.stringify(mapping));
  const lines = records.flatMap(({ serial, ts, metadata, data }) => {
    const { product: _, ...device } = devices.find((one) => one.serial === serial)!;
    const document = { ts: Math.round(ts * 1000), metadata, data, device };
    return [{ index: { _id: String((metadata as Plain)['number'] as number) } }, document];
  });
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  expect(await engine.send('POST', `${index}/_bulk?refresh=true`, body)).toMatchObject({ errors: false });
  const answers: Recorded[] = [];
  for (const { name, body: asked } of recorded) {
    const { took: _, _shards, ...answer } = await engine.send('POST', `${index}/_search`, JSON.stringify(asked));
    answers.push({ name, body: asked, answer });
  }
  await engine.send('DELETE', index);
  await engine.close();
  writeFileSync(file, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
  return answers;
};

/** Drops the fields that OpenSearch's documents lack from our answer, and replaces record identifiers by numbers. */
const named = (answer: Plain, numbers: ReadonlyMap<string, string>): Plain =>
  JSON.parse(JSON.stringify(answer), function (this: Plain, key, value: unknown) {
    if (key === '_id') return numbers.get(value as string);
    if (key === 'device' && 'metadata' in this) {
      const { id: _id, organizationId: _organization, product: _product, ...device } = value as Plain;
      return device;
    }
    return value;
  }) as Plain;

describe('search queries that once differed from OpenSearch', () => {
  const numbers = new Map<string, string>();
  const answers = new Map<string, Plain>();
  beforeAll(async () => {
    for (const { name, answer } of url === undefined ? recorded : await record()) answers.set(name, answer!);
    const { hits } = (await ask({ size: 100 }))['hits'] as { hits: { _id: string; _source: Plain }[] };
    for (const { _id, _source } of hits) numbers.set(_id, `${(_source['metadata'] as Plain)['number'] as number}`);
  });

  it.each(recorded.map(({ name, body }) => [name, body] as const))(
    'returns the answer of OpenSearch for %s',
    async (name, body) => {
      const ours = named(await ask(body), numbers);
      expect(differences(body, ours, answers.get(name)!)).toEqual([]);
    },
  );
});

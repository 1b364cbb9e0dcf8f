import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { counts, importing } from './imported.js';

const world = useWorld();

const large = '9007199254740993';

/** Files, each with its first count. test/data/imports/README.md says which command has written each file. */
const files: [name: string, count: number | string][] = [
  ['pandas.csv', 7],
  ['pandas-decimal-comma.csv', 7],
  ['duckdb.csv', large],
  ['duckdb.parquet', large],
  ['postgresql.csv', large],
  ['sqlite.csv', large],
  ['bigquery.csv', large],
  ['excel.csv', 7],
];

const variables = [
  { name: 'temperature', type: 'FLOAT32' },
  { name: 'open', type: 'BOOL' },
  { name: 'count', type: 'INT64' },
  { name: 'code', type: 'TXT' },
  { name: 'note.text', type: 'TXT' },
];
const fields = variables.map(({ name }) => `data.${name}`);

interface Answer {
  responses: { hits: { hits: { sort: number[]; fields?: object; _ignored?: string[] }[] } }[];
}

describe('a history file of another program', () => {
  it.each(files)('has the same records and values as those of the others: %s', async (name, count) => {
    const owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    const product = await owner.make(`${at}/products`, { name: 'Sensor', version: '1', variables });
    const application = await owner.make(`${at}/applications`, { name: 'History' });
    const device = await owner.make(`${at}/devices/e0-01`, { product: { id: product } });
    await owner.put(`/applications/${owner.id}/${application}/devices/${device}`);
    const type = name.endsWith('.parquet') ? 'application/vnd.apache.parquet' : 'text/csv';
    const { whole, apply } = importing({ id: owner.id, owner });
    const checked = await whole('/records', readFileSync(`test/data/imports/${name}`), { 'content-type': type });
    expect([checked.faults, checked.ignored]).toEqual([[], []]);
    expect(counts(await apply(checked.id))).toMatchObject({ lines: 3, created: 3, rejected: 0 });
    const { body } = await owner.post<Answer>(`/applications/${owner.id}/${application}/search`, {
      ts: { gte: 1_714_564_000, lte: 1_714_565_000 },
      queries: [{ products: [], size: 10, sort: [{ ts: 'asc' }], _source: false, fields }],
    });
    expect(
      body.responses[0]!.hits.hits.map(({ sort, fields: found = {}, _ignored }) => [sort, found, _ignored]),
    ).toEqual([
      [
        [1_714_564_800.5],
        {
          'data.temperature': [21.5],
          'data.open': [true],
          'data.count': [count],
          'data.code': ['0042'],
          'data.note.text': ['all well'],
        },
        undefined,
      ],
      [
        [1_714_564_860],
        {
          'data.temperature': [-3.25],
          'data.open': [false],
          'data.count': [-1],
          'data.code': ['[1,2]'],
          'data.note.text': ['says "hi"; twice,\nthen left'],
        },
        undefined,
      ],
      [[1_714_564_920], {}, undefined],
    ]);
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Papa from 'papaparse';
import { createCases, sendCases, start, valueCases } from '../export/value-case.js';
import { type AccountActor, useWorld } from '../support/world.js';

type Row = Record<string, unknown>;

const world = useWorld();
let owner: AccountActor;
let application: string;
let folder: string;
let duckDb: DuckDBInstance;

/** Saves an export as a file, and returns its path and content. */
const save = async (parameters: Record<string, string>) => {
  const response = await fetch(`${owner.base}${application}/export?${new URLSearchParams(parameters)}`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  const path = join(folder, `${Object.values(parameters).join('-')}.${parameters['format'] ?? 'csv'}`);
  await writeFile(path, bytes);
  return { path, text: bytes.toString() };
};
const query = async (sql: string): Promise<Row[]> => {
  const connection = await duckDb.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjects();
  } finally {
    connection.closeSync();
  }
};
const valuesOf = (rows: readonly Row[]) => rows.map((row, index) => row[`data.${valueCases[index]!.variable}`]);
const asText = valueCases.map(({ sent }) => (typeof sent === 'string' ? sent : JSON.stringify(sent)));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ddp-export-'));
  duckDb = await DuckDBInstance.create();
  owner = await world.organization();
  ({ application } = await createCases(owner));
  const hook = await owner.make(`${application}/hooks`, { url: 'http://127.0.0.1:9/', disabled: true });
  await owner.post(`${application}/hooks/${hook}/ping`);
  const when = { all: [{ variable: 'temperature', operator: 'gt', value: 20 }] };
  await owner.make(`${application}/alert-rules`, { name: 'a\nb', kind: 'threshold', when });
  const name = 'a\rb';
  await owner.put(`${application}/devices/${await owner.make(`/organizations/${owner.id}/devices/ff-01`, { name })}`);
  expect(await sendCases(owner)).toBe(valueCases.length);
}, 60_000);
afterAll(async () => {
  duckDb.closeSync();
  await rm(folder, { recursive: true });
});

describe('export of records, read by another program', () => {
  it('has each value in its row, as CSV for Papa Parse', async () => {
    const { text } = await save({ bom: 'true' });
    const { data, errors } = Papa.parse<Row>(text, { header: true, skipEmptyLines: true });
    expect(errors).toEqual([]);
    expect(Object.keys(data[0]!)[0]).toBe('id');
    expect(valuesOf(data)).toEqual(asText);
  });

  it('has each value in its row, as CSV for DuckDB', async () => {
    const { path } = await save({});
    const rows = await query(`select * from read_csv('${path}', header = true, all_varchar = true)`);
    expect(valuesOf(rows)).toEqual(asText);
    const [typed] = await query(`select count(*)::int as n, typeof(any_value(ts)) as ts from read_csv('${path}')`);
    expect(typed).toEqual({ n: valueCases.length, ts: 'TIMESTAMP WITH TIME ZONE' });
  });

  it('has the values of searches and times in UTC, as Parquet for DuckDB', async () => {
    const { path } = await save({ format: 'parquet' });
    const rows = await query(`select *, typeof(ts) as type, epoch(ts) as seconds from read_parquet('${path}')`);
    const plain = (value: unknown) => {
      if (typeof value !== 'bigint') return value;
      return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`;
    };
    expect(valuesOf(rows).map(plain)).toEqual(
      valueCases.map(({ shown }) => {
        if (!Array.isArray(shown)) return shown ?? null;
        return shown.every((each) => typeof each === 'string') ? JSON.stringify(shown) : null;
      }),
    );
    expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(['TIMESTAMP WITH TIME ZONE']));
    expect(rows.map(({ seconds }) => Number(seconds))).toEqual(valueCases.map((_each, index) => start + index));
  });
});

describe('export of a list, read by another program', () => {
  it.each(['devices', 'episodes', 'deliveries'])('has as many rows of %s in each format', async (of) => {
    const lines = (await save({ of, format: 'ndjson' })).text.split('\n').filter(Boolean);
    const { path, text } = await save({ of });
    const parquet = await save({ of, format: 'parquet' });
    const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids.length).toBeGreaterThan(0);
    const ofCsv = await query(`select id from read_csv('${path}', header = true, all_varchar = true)`);
    const ofParquet = await query(`select id from read_parquet('${parquet.path}')`);
    const { data } = Papa.parse<Row>(text, { header: true, skipEmptyLines: true });
    for (const rows of [ofCsv, ofParquet, data]) expect(rows.map(({ id }) => id)).toEqual(ids);
  });
});

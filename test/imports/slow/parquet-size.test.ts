import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { useWorld } from '../../support/world.js';
import { importing } from '../imported.js';
import { dataPage, dictionaryPage, type Page, parquetFile, prefixed, run } from '../parquet-file.js';

const world = useWorld();
const parquet = { 'content-type': 'application/vnd.apache.parquet' };
const text = (value: string): Buffer => prefixed(Buffer.from(value));

const send = async (file: Buffer) => {
  const owner = await world.organization();
  return importing({ id: owner.id, owner }).whole('/records', file, parquet);
};

describe('small Parquet file with huge content', () => {
  it('fails at the row limit for its size, and counts the rows written until then', async () => {
    const rows = 2 ** 17;
    const one = (value: string): Page[] => [
      dictionaryPage(1, text(value)),
      dataPage(rows, Buffer.concat([Buffer.from([1]), run(rows, 0)]), { encoding: 8 }),
    ];
    const file = parquetFile(rows, [
      { name: 'serial', pages: one('f0-01'), isRequired: true },
      { name: 'ts', pages: one('2024-05-01T12:00:00Z'), isRequired: true },
      { name: 'level', pages: one('x'.repeat(500)), isRequired: true },
    ]);
    expect(file.length).toBeLessThan(2000);
    const failed = await send(file);
    expect(failed).toMatchObject({
      state: 'failed',
      job: { error: expect.stringMatching(/^The rows of the file have more than 16 MiB/) },
    });
    const { rows: stored } = await world.pool.query<{ bytes: number; unpacked: number }>(
      `select (select sum(length(bytes)) from file_import_part where import_id = $1)::int as bytes,
              (select unpacked from file_import where id = $1)::int as unpacked`,
      [failed.id],
    );
    expect(stored[0]!.bytes).toBeLessThan(18 * 2 ** 20);
    expect(stored[0]!.unpacked).toBeGreaterThan(8 * 2 ** 20);
  }, 120_000);

  it('ends only its own parser process when it needs too much memory', async () => {
    // Valid JSON with 20 million objects.
    const json = text(`[${'{},'.repeat(20_000_000)}{}]`);
    const body = zstdCompressSync(json);
    const file = parquetFile(1, [
      { name: 'serial', pages: [dataPage(1, text('f0-01'))], isRequired: true },
      { name: 'ts', pages: [dataPage(1, text('2024-05-01T12:00:00Z'))], isRequired: true },
      {
        name: 'level',
        pages: [dataPage(1, body, { unpacked: json.length })],
        isRequired: true,
        codec: 6,
        converted: 19,
      },
    ]);
    expect(file.length).toBeLessThan(20_000);
    expect(await send(file)).toMatchObject({
      state: 'failed',
      job: { error: expect.stringMatching(/^The Parquet file cannot be read: it takes too much memory or time/) },
    });
    expect((await fetch(`${world.url}/healthz`)).status).toBe(200);
  }, 120_000);
});

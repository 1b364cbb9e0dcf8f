import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { type ParquetCursor, type Unpacked, unpackParquet } from '#imports/parquet.js';
import { itIf } from '../support/conditional.js';
import { useWorld } from '../support/world.js';
import { importing } from './imported.js';
import { type Column, dataPage, dictionaryPage, type Page, parquetFile, prefixed, run } from './parquet-file.js';

const world = useWorld();
const parquet = { 'content-type': 'application/vnd.apache.parquet' };

/** Encodes a text for a page without levels. */
const text = (value: string): Buffer => prefixed(Buffer.from(value));
const repeat = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => bytes));
/** Returns the required columns for the given number of rows. */
const needed = (rows: number): Column[] => [
  { name: 'serial', pages: [dataPage(rows, repeat(rows, text('f0-01')))], isRequired: true },
  { name: 'ts', pages: [dataPage(rows, repeat(rows, text('2024-05-01T12:00:00Z')))], isRequired: true },
];
/** Returns a file of one row whose third column has these pages. */
const withPages = (...pages: Page[]): Buffer => parquetFile(1, [...needed(1), { name: 'level', pages }]);

const send = async (file: Buffer) => {
  const owner = await world.organization();
  return importing({ id: owner.id, owner }).whole('/records', file, parquet);
};

describe('Parquet parser', () => {
  it('reads a valid file', async () => {
    const body = Buffer.concat([prefixed(run(1, 1)), text('high')]);
    expect(await send(withPages(dataPage(1, body)))).toMatchObject({ state: 'checked', lines: 1 });
  });

  it.each([
    [
      'a run of 2^27 levels',
      withPages(dataPage(1, prefixed(run(2 ** 27, 1)))),
      /a run claims 134217728 values where 1/,
    ],
    ['a run of 2^30 levels', withPages(dataPage(1, prefixed(run(2 ** 30, 1)))), /a run claims 1073741824 values/],
    [
      'a page of 2^26 values',
      withPages(dataPage(2 ** 26, prefixed(run(1, 1)))),
      /a row group may have at most 64 MiB and/,
    ],
    [
      'a page of 2^31 values',
      withPages(dataPage(2 ** 31 - 1, prefixed(run(1, 1)))),
      /a row group may have at most 64 MiB and/,
    ],
    [
      'a page of 2^31 bytes without compression',
      withPages(dataPage(1, prefixed(run(1, 1)), { unpacked: 2 ** 31 - 1 })),
      /a row group may have at most 64 MiB and/,
    ],
    [
      'a page of 2^30 bytes',
      withPages(dataPage(1, prefixed(run(1, 1)), { claimed: 2 ** 30 })),
      /a page claims 1073741824 bytes where/,
    ],
    [
      'a dictionary of 2^24 values',
      withPages(dictionaryPage(2 ** 23, text('a'))),
      /a page claims 8388608 values and has/,
    ],
    [
      'a run of 2^28 places in a dictionary',
      withPages(
        dictionaryPage(1, text('a')),
        dataPage(1, Buffer.concat([prefixed(run(1, 1)), Buffer.from([1]), run(2 ** 28, 0)]), { encoding: 8 }),
      ),
      /a run claims 268435456 values where 1/,
    ],
    [
      'blocks of 2^29 deltas',
      withPages(
        dataPage(1, Buffer.concat([prefixed(run(1, 1)), Buffer.from('80808080028080808002', 'hex')]), { encoding: 6 }),
      ),
      /a page has blocks of 536870912 values/,
    ],
    [
      'a list of 2^30 columns',
      parquetFile(1, needed(1), { columnsClaimed: 2 ** 30 }),
      /a list claims 1073741824 values where/,
    ],
    ['2^29 rows', parquetFile(2 ** 29, needed(1)), /a row group may have at most 1048576 rows/],
    ['a footer of 2^31 bytes', parquetFile(1, needed(1), { footerClaimed: 2 ** 31 }), /its footer claims 2147483648/],
  ])('fails with the reason for a file that claims %s, and the service continues', async (_, file, message) => {
    expect(file.length).toBeLessThan(500);
    const { state, job } = await send(file);
    expect({ state, error: job?.error }).toEqual({ state: 'failed', error: expect.stringMatching(message) });
    expect(job!.error).toMatch(/^The Parquet file cannot be read: /);
    expect((await fetch(`${world.url}/healthz`)).status).toBe(200);
  });

  it('reads a file in steps, each starting at the row after the last one', async () => {
    const rows = 6000;
    const serials = Array.from({ length: rows }, (_, row) => text(`f0-${`${row}`.padStart(6, '0')}`));
    const file = parquetFile(rows, [
      { name: 'serial', pages: [dataPage(rows, Buffer.concat(serials))], isRequired: true },
      { name: 'ts', pages: [dataPage(rows, repeat(rows, text('2024-05-01T12:00:00Z')))], isRequired: true },
    ]);
    /** Returns the lines read in steps of the given duration, and the number of steps. */
    const read = async (milliseconds: number) => {
      let [lines, steps] = ['', 0];
      for (let cursor: ParquetCursor | null = { group: 0, row: 0, bytes: 0, values: 0 }; cursor !== null; steps++) {
        const unpacked: Unpacked = await unpackParquet(
          { size: file.length, cursor, milliseconds },
          {
            async *read(start, end) {
              yield file.subarray(start, end);
            },
            async take(more) {
              lines += more;
            },
            signal: new AbortController().signal,
          },
        );
        if ('faults' in unpacked) throw new Error('The file has faults.');
        ({ cursor } = unpacked);
      }
      return { lines, steps };
    };
    const [whole, parts] = [await read(60_000), await read(0)];
    expect(whole.steps).toBe(1);
    expect(parts.steps).toBeGreaterThan(2);
    expect(parts.lines).toBe(whole.lines);
    expect(whole.lines.trim().split('\n')).toHaveLength(rows);
  });

  itIf(process.platform === 'linux', 'needs Linux')('runs at a lower priority than the service', async () => {
    const file = withPages(dataPage(1, Buffer.concat([prefixed(run(1, 1)), text('high')])));
    const priorities = new Set<number>();
    await unpackParquet(
      { size: file.length, cursor: { group: 0, row: 0, bytes: 0, values: 0 }, milliseconds: 60_000 },
      {
        async *read(start, end) {
          const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
          const parsers = children.filter((pid) =>
            readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('parquet-child'),
          );
          for (const pid of parsers) priorities.add(getPriority(Number(pid)));
          yield file.subarray(start, end);
        },
        take: () => Promise.resolve(),
        signal: new AbortController().signal,
      },
    );
    expect([...priorities]).toEqual([getPriority() + 10]);
  });

  it('fails before decompression when the pages are too large', async () => {
    const zeros = zstdCompressSync(Buffer.alloc(64 * 2 ** 20));
    const page = dataPage(2 ** 23, zeros, { unpacked: 64 * 2 ** 20 });
    const file = parquetFile(2 ** 20, [
      ...needed(1),
      { name: 'level', type: 2, codec: 6, isRequired: true, pages: Array.from({ length: 100 }, () => page) },
    ]);
    expect(await send(file)).toMatchObject({
      state: 'failed',
      job: { error: expect.stringMatching(/a row group may have at most 64 MiB and/) },
    });
  });
});

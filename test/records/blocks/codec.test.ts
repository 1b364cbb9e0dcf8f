import { describe, expect, it } from '@jest/globals';
import type { Block } from '#records/blocks/block.js';
import { fixedColumns, PathNumbers, shapeColumns, wholeColumns } from '#records/blocks/column-number.js';
import { cutBlocks } from '#records/blocks/cut-blocks.js';
import { decodeBlock } from '#records/blocks/decode-block.js';
import { encodeBlock } from '#records/blocks/encode-block.js';
import { cutLeaves, type LeafValue, leafText, parseShape } from '#records/blocks/json-shape.js';
import { decodeNumbers, encodeNumbers } from '#records/blocks/number-column.js';
import { midnightsOf } from '#records/blocks/run.js';
import type { SumPart } from '#records/blocks/sum.js';
import { encodeTexts } from '#records/blocks/text-column.js';
import { allOf } from '#records/postgres/blocks/block-store.js';
import { zoneOf } from '#search/date/zone.js';
import { dayStart, fleetRows } from './fleet-rows.js';

describe('numbers of a block', () => {
  it.each<[name: string, values: (number | null)[], form: object]>([
    ['the same', [21.5, 21.5], { base: 215, scale: 1 }],
    ['in a narrow range', [1000.1, 1003.2], { base: 10_129, scale: 1, cells: Int8Array.of(-128, -97) }],
    ['in a wide range', [0, 70_000], { base: 0, scale: 0, cells: Int32Array.of(0, 70_000) }],
    ['with gaps', [1, null], { base: 0, scale: 0, cells: Int8Array.of(1, 0), absent: Uint8Array.of(0, 1) }],
    ['with -0', [0, -0], { cells: Float64Array.of(0, -0) }],
    ['that are huge', [1, 1e308], { cells: Float64Array.of(1, 1e308) }],
    ['without end', [1 / 3], { cells: Float64Array.of(1 / 3) }],
    ['beyond 2^53', [2 ** 63], { cells: Float64Array.of(2 ** 63) }],
    ['next to 2^53', [2 ** 53 - 1, 2 ** 53 - 2], { cells: Float64Array.of(2 ** 53 - 1, 2 ** 53 - 2) }],
    ['that are denormal', [5e-324, 0], { cells: Float64Array.of(5e-324, 0) }],
    ['that span more than 32 bits', [0, 2 ** 33], { cells: Float64Array.of(0, 2 ** 33) }],
  ])('encodes numbers %s', (_, values, form) => {
    const column = encodeNumbers(values);
    expect(column).toEqual({ n: values.filter((value) => value !== null).length, ...form });
    expect(decodeNumbers(column, values.length)).toEqual(values);
  });
});

describe('texts of a block', () => {
  it('keeps few different texts in a dictionary, hexadecimal texts as bytes, and other texts whole', () => {
    expect(encodeTexts(['ok', 'ok', null, 'error', 'ok'])).toMatchObject({ n: 4, dict: ['ok', 'error'] });
    expect(encodeTexts(['00ff', '0a', ''])).toMatchObject({ raw: Buffer.from('00ff0a', 'hex') });
    expect(encodeTexts(['a', 'b', 'c'])).toEqual({ n: 3, dict: ['a', 'b', 'c'] });
  });
});

describe('shape of JSON', () => {
  it.each([
    ['{"a": 21.5, "b": [true, null, "x"]}', '{"a": #, "b": [?, null, $]}', ['.a', '.b[0]', '.b[]']],
    ['{"a": 21.50, "b": 0.000}', '{"a": #2, "b": #3}', ['.a', '.b']],
    ['{"a": 9223372036854775808}', '{"a": %}', ['.a']],
    [`{"a": 1${'0'.repeat(308)}}`, '{"a": #}', ['.a']],
    ['{"a.b": {"": 1}, "\\"": "\\\\\\""}', '{"a.b": {"": #}, "\\"": $}', ['."a.b".""', '."\\""']],
    ['[{"x": 1}, {"x": 2}]', '[{"x": #}, {"x": #}]', ['[0].x', '[].x']],
    ['{}', '{}', []],
  ])('restores %s', (text, shape, paths) => {
    const values: LeafValue[] = [];
    expect(cutLeaves(text, values)).toBe(shape);
    const { pieces, leaves } = parseShape(shape);
    expect(leaves.map(({ path }) => path)).toEqual(paths);
    const joined = leaves.map((leaf, index) => pieces[index]! + leafText(leaf, values[index]!));
    expect(joined.join('') + pieces.at(-1)!).toBe(text);
  });
});

const encoded = (rows = fleetRows({ devices: 10, perDevice: 96 }), cuts: number[] = []): Block =>
  encodeBlock(rows, { paths: new PathNumbers(), cuts });

describe('block of a fleet', () => {
  it('keeps values of variables once, and identifiers of one process as a counter', () => {
    const { columns, processes } = encoded();
    const aliases = [...columns.values()].filter(({ same }) => same !== undefined).map(({ same }) => same);
    expect(aliases.sort()).toEqual([-1, 1, 2, 3]);
    expect(processes?.bits).toEqual(['10123456789']);
    expect(columns.get(fixedColumns.id)).toBeUndefined();
    expect(columns.get(fixedColumns.counter)).not.toMatchObject({ cells: expect.any(Int32Array) });
  });

  it('keeps the last bytes of identifiers of many processes', () => {
    const rows = fleetRows({ devices: 10, perDevice: 96 }).map((row, index) => ({
      ...row,
      id: row.id.slice(0, 22) + index.toString(16).padStart(10, '0'),
    }));
    const block = encoded(rows);
    expect(block.columns.get(fixedColumns.id)?.raw).toHaveLength(10 * rows.length);
    expect(block.arrivals!.lowest).toBeGreaterThan(dayStart / 1000);
  });

  it('keeps texts whole beyond 64 shapes', () => {
    const rows = fleetRows({ devices: 2, perDevice: 96 });
    const shapes = (count: number) =>
      encoded(rows.map((row, index) => ({ ...row, data: `{"k${index % count}": ${index}}` }))).columns;
    expect(shapes(64).has(shapeColumns.data)).toBe(true);
    expect(shapes(65).has(shapeColumns.data)).toBe(false);
    expect(shapes(65).has(wholeColumns.data)).toBe(true);
  });

  it('keeps texts whole if the source has no numbers left for their names', () => {
    const known = Array.from({ length: 12_662 }, (_, index) => ({ col: 20_100 + index, path: `#data.k${index}` }));
    const rows = fleetRows({ devices: 2, perDevice: 96 });
    const paths = new PathNumbers(known);
    const block = encodeBlock(rows, { paths });
    expect(block.columns.has(shapeColumns.metadata)).toBe(true);
    expect(block.columns.has(wholeColumns.data)).toBe(true);
    expect(decodeBlock(block, paths)).toEqual(rows);
  });

  it('counts the different values of a variable', () => {
    const { columns } = encoded();
    expect(columns.get(3)?.frequencies).toEqual({ values: Int32Array.of(0, 1), hits: Int32Array.of(500, 460) });
    expect(columns.get(1)?.frequencies).toBeUndefined();
  });
});

describe('sum of a block', () => {
  const part = (block: Block, col: number, part: SumPart): (number | null)[] | undefined => {
    const found = block.sums.find((sum) => sum.col === col && sum.part === part);
    const length =
      block.sums.some((sum) => sum.part === 'r') && 'rvcd'.includes(part) ? 2 * block.runs.length : block.runs.length;
    return found && decodeNumbers(found.column, length);
  };

  it('has count, sum, squares, lowest, highest, first and last by run', () => {
    const rows = fleetRows({ devices: 10, perDevice: 96 });
    const block = encoded(rows);
    const runs = block.runs.map(({ from, count }) => rows.slice(from, from + count).map(({ numbers }) => numbers![0]!));
    const expected = (of: (values: number[]) => number) => runs.map((values) => expect.closeTo(of(values), 6));
    expect(part(block, 1, 'n')).toEqual(runs.map(() => 96));
    expect(part(block, 1, 's')).toEqual(expected((values) => values.reduce((sum, value) => sum + value, 0)));
    expect(part(block, 1, 'q')).toEqual(expected((values) => values.reduce((sum, value) => sum + value * value, 0)));
    expect(part(block, 1, 'l')).toEqual(expected((values) => Math.min(...values)));
    expect(part(block, 1, 'h')).toEqual(expected((values) => Math.max(...values)));
    expect(part(block, 1, 'f')).toEqual(expected((values) => values[0]!));
    expect(part(block, 1, 't')).toEqual(expected((values) => values.at(-1)!));
  });

  it('holds the increase of a counter that restarts, and of no other values', () => {
    const rows = fleetRows({ devices: 2, perDevice: 96 });
    for (const row of rows.slice(50, 96)) row.numbers![1]! -= 104;
    const block = encoded(rows);
    // From 100 to 104.9, and from 1 to 5.5 after a start at 0.
    expect(part(block, 2, 'i')).toEqual([expect.closeTo(4.9 + 5.5), expect.closeTo(9.5)]);
    expect(part(block, 1, 'i')).toBeUndefined();
  });

  it('holds the seconds in each state, by run', () => {
    const block = encoded(fleetRows({ devices: 2, perDevice: 96 }));
    expect(part(block, 3, 'r')).toEqual([0, 0, 1, 1]);
    expect(part(block, 3, 'v')).toEqual([0, 1, 0, 1]);
    expect(part(block, 3, 'c')).toEqual([50, 46, 50, 46]);
    const [closed, open] = part(block, 3, 'd') as [number, number];
    // The last of 96 values, of which 50 are 0, ends with the next run.
    expect(closed).toBeCloseTo(50 * 900, -2);
    expect(open).toBeCloseTo(45 * 900, -2);
  });

  it('exists only if it replaces at least 2 values', () => {
    expect(encoded(fleetRows({ devices: 10, perDevice: 1 })).sums).toEqual([]);
    expect(encoded(fleetRows({ devices: 10, perDevice: 2 })).sums).not.toEqual([]);
  });
});

describe('run of a block', () => {
  it('ends with a device and at local midnight', () => {
    const cuts = midnightsOf(zoneOf('Europe/Vienna')!, dayStart / 1000, dayStart / 1000 + 86_400_000);
    const { runs } = encoded(fleetRows({ devices: 2, perDevice: 24 }), cuts);
    expect(runs).toEqual([
      { device: 1, from: 0, count: 23 },
      { device: 1, from: 23, count: 1 },
      { device: 2, from: 24, count: 23 },
      { device: 2, from: 47, count: 1 },
    ]);
  });

  it.each([
    ['UTC', '2026-10-25', ['2026-10-25T00:00:00.000Z']],
    ['Europe/Vienna', '2026-10-24', ['2026-10-24T22:00:00.000Z']],
    ['Europe/Vienna', '2026-10-25', ['2026-10-25T23:00:00.000Z']],
    ['Asia/Kathmandu', '2026-10-25', ['2026-10-25T18:15:00.000Z']],
    // The day of the clock change begins at one o'clock.
    ['Africa/Cairo', '2026-04-23', ['2026-04-23T22:00:00.000Z']],
    // The 30th was left out.
    ['Pacific/Apia', '2011-12-30', ['2011-12-30T10:00:00.000Z']],
  ])('begins in %s on %s at %j', (zone, day, expected) => {
    const from = Date.parse(day);
    const times = midnightsOf(zoneOf(zone)!, from, from + 86_400_000).map((time) =>
      new Date(time / 1000).toISOString(),
    );
    expect(times).toEqual(expected);
  });
});

describe('cutting of a day into blocks', () => {
  const sizes = async (count: number, data = ''): Promise<number[]> => {
    const rows = Array.from({ length: count }, () => ({ metadata: '', data, frame: null }));
    const pages = async function* () {
      for (let from = 0; from < count; from += 700) yield rows.slice(from, from + 700);
    };
    return (await allOf(pagesOf(cutBlocks(pages())))).map(({ length }) => length);
  };
  async function* pagesOf<Row>(groups: AsyncIterable<Row>): AsyncGenerator<Row[]> {
    for await (const group of groups) yield [group];
  }

  it.each([
    [0, []],
    [1, [1]],
    [5000, [5000]],
    [5001, [2500, 2501]],
    [10_000, [4000, 4000, 2000]],
  ])('makes of %i records blocks of about 4,000', async (count, expected) => {
    expect(await sizes(count)).toEqual(expected);
  });

  it('makes smaller blocks of large records', async () => {
    expect(await sizes(10, 'x'.repeat(8 * 2 ** 20))).toEqual([4, 4, 2]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type pg from 'pg';
import { booleans, jsons, texts, times, uuids } from '#database/binary.js';
import { createPool } from '#database/pools.js';
import { CopyRows, copyIn } from '#records/postgres/log/copy.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();
let pool: pg.Pool;

beforeAll(() => {
  pool = createPool(database.url, { pipeline: true });
});

afterAll(() => pool.end());

/** Sends a binary parameter, and returns the value that PostgreSQL reads. */
const back = async (type: string, parameter: Buffer): Promise<unknown> => {
  const { rows } = await pool.query<{ value: unknown }>({ text: `select $1::${type} as value`, values: [parameter] });
  return rows[0]!.value;
};

describe('binary parameter of a statement', () => {
  it.each<[type: string, write: (values: never[]) => Buffer, values: unknown[], read: unknown]>([
    ['uuid[]', uuids, ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'], undefined],
    ['uuid[]', uuids, ['0123456789abcdef0123456789abcdef'], ['01234567-89ab-cdef-0123-456789abcdef']],
    ['text[]', texts, ['', ' ', '"\\,{}', 'NULL', 'ä€😀', '\n\t'], undefined],
    ['json[]', jsons, ['null', '{"a":"\\"\\u00e4"}', '[1e400]'], undefined],
    ['boolean[]', booleans, [true, false], undefined],
    ['timestamptz[]', times, [0, -1, 946_684_800_000, 946_684_799_999], undefined],
    ['timestamptz[]', times, [Date.UTC(1900, 1, 28), Date.UTC(2200, 11, 31)], undefined],
  ])('arrives in PostgreSQL unchanged as %s', async (type, write, values, read) => {
    const found = (await back(type === 'json[]' ? 'json[]::text[]' : type, write(values as never[]))) as unknown[];
    const moments = type === 'timestamptz[]' ? found.map(Number) : found;
    expect(moments).toEqual(read ?? values);
  });

  it('keeps null and undefined as null, and an empty list', async () => {
    expect(await back('text[]', texts(['a', null, undefined, 'b']))).toEqual(['a', null, null, 'b']);
    expect(await back('uuid[]', uuids([]))).toEqual([]);
  });

  it('holds any text of any length', async () => {
    const storable = fc.string({ unit: 'binary', maxLength: 3000 }).filter((text) => !text.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.array(storable, { maxLength: 20 }), async (values) => {
        expect(await back('text[]', texts(values))).toEqual(values);
      }),
      { numRuns: 30 },
    );
  });
});

describe('binary row of COPY', () => {
  /** Copies one row per value into a table with one column, and returns the column as text, in order. */
  const copied = async <Value>(
    type: string,
    values: readonly Value[],
    add: (rows: CopyRows, value: Value) => unknown,
  ) => {
    const tx = await pool.connect();
    try {
      await tx.query(`create temporary table copied (place serial, value ${type})`);
      const rows = new CopyRows(1);
      for (const value of values) add(rows.row(), value);
      await copyIn(tx, 'copied (value)', rows.finish());
      const found = await tx.query<{ value: string | null }>('select value::text from copied order by place');
      return found.rows.map(({ value }) => value);
    } finally {
      await tx.query('drop table if exists copied');
      tx.release();
    }
  };

  it('holds times to the microsecond, before and after 1970 and 2000', async () => {
    const moments = [0, -0.000001, 946_684_800, 946_684_799.999999, 1_700_000_000.123456, 5_000_000_000.000001];
    expect(await copied('timestamptz', moments, (rows, moment) => rows.time(moment))).toEqual([
      '1970-01-01 00:00:00+00',
      '1969-12-31 23:59:59.999999+00',
      '2000-01-01 00:00:00+00',
      '1999-12-31 23:59:59.999999+00',
      '2023-11-14 22:13:20.123456+00',
      '2128-06-11 08:53:20.000001+00',
    ]);
  });

  it('holds every double exactly', async () => {
    const doubles = [0, -0, 5e-324, -Number.MAX_VALUE, 0.1, 2 ** 53 - 1, Number.POSITIVE_INFINITY];
    expect(await copied('float8', doubles, (rows, double) => rows.number(double))).toEqual([
      '0',
      '-0',
      '5e-324',
      '-1.7976931348623157e+308',
      '0.1',
      '9.007199254740991e+15',
      'Infinity',
    ]);
  });

  it('holds JSON, identifiers, booleans, lists and nulls', async () => {
    const json = (text: string | undefined) => copied('jsonb', [text], (rows, value) => rows.jsonb(value));
    expect(await json('{"b":1.50,"a":"ä€😀"}')).toEqual(['{"a": "ä€😀", "b": 1.50}']);
    expect(await json(undefined)).toEqual([null]);
    const id = '0190a0b1-c2d3-7e4f-8a5b-6c7d8e9fa0b1';
    expect(await copied('uuid', [id, undefined], (rows, value) => rows.uuid(value))).toEqual([id, null]);
    expect(await copied('boolean', [true, false], (rows, value) => rows.boolean(value))).toEqual(['true', 'false']);
    expect(await copied('float8[]', [[1.5, null], [], undefined], (rows, value) => rows.numbers(value))).toEqual([
      '{1.5,NULL}',
      '{}',
      null,
    ]);
    expect(await copied('text[]', [['a,"', null], undefined], (rows, value) => rows.texts(value))).toEqual([
      '{"a,\\"",NULL}',
      null,
    ]);
  });

  it('arrives whole when it exceeds one chunk', async () => {
    const long = 'é'.repeat(100_000);
    const values = Array.from({ length: 10 }, (_, index) => `${index}${long}`);
    expect(await copied('text', values, (rows, value) => rows.text(value))).toEqual(values);
  });
});

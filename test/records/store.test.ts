import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { createPool } from '#database/pools.js';
import { StreamType, VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { parsePlain, parsePlainLines } from '#json/plain.js';
import type { ItemResult } from '#records/item.js';
import { createRecordStore, type RecordStore } from '#records/postgres/log/store.js';
import { readNative } from '#records/record-body.js';
import type { StoredRecord } from '#records/stored-record.js';
import { useDatabase } from '../support/database.js';
import { buildFleet, type Fleet } from './fleet.js';

const database = useDatabase();
const noon = Date.UTC(2026, 10, 20, 12);
let now = noon;
let pool: Pool;
let store: RecordStore;
let fleet: Fleet;
let follow: (stored: readonly StoredRecord[]) => Promise<undefined> = async () => undefined;

const variables = [
  {
    name: 'temperature',
    type: VariableType.FLOAT32,
    mappings: [{ streamId: 1, streamType: StreamType.BIN, varNumber: 1 }],
  },
  { name: 'count', type: VariableType.INT64 },
  { name: 'on', type: VariableType.BOOL },
  { name: 'label', type: VariableType.TXT },
];

beforeAll(async () => {
  pool = createPool(database.url);
  store = createRecordStore({ pool, clock: () => now, plans: [(_tx, stored) => follow(stored)] });
  fleet = await buildFleet(pool, '00-04-a3', variables);
});
afterAll(async () => {
  await store.close();
  await pool.end();
});

const send = async (body: PlainJson | string, once?: { key: string; bodyHash: Buffer }): Promise<ItemResult[]> => {
  const plain =
    typeof body === 'string'
      ? await parsePlainLines(body, 10_000, fleet.organizationId)
      : parsePlain(JSON.stringify(body));
  const { organizationId } = fleet;
  const { results } = await store.store({
    organizationId,
    items: readNative(plain),
    ...(once && { idempotencyKey: { organizationId, path: 'records', ...once } }),
    verbose: true,
  });
  return results.map(({ index: _, ...result }) => result as ItemResult);
};

interface Row {
  ts: string;
  metadata: unknown;
  data: unknown;
  frame: unknown;
  numbers: (number | null)[] | null;
  texts: (string | null)[] | null;
  many: unknown;
  ignored: string[] | null;
}

const stored = async ([result]: ItemResult[]): Promise<Row> => {
  expect(result?.status).toBe('stored');
  const { rows } = await pool.query<Row>(sql`
    select extract(epoch from ts)::text as ts, metadata, data, frame, numbers, texts, many, ignored
    from record where id = ${result?.status === 'rejected' ? null : result?.recordId}`);
  return rows[0]!;
};

const serial = '00-04-A3';

describe('record store', () => {
  it("stores a record as sent, and its variables' values in their slots", async () => {
    const data = {
      temperature: 21.5,
      count: '9007199254740993',
      on: true,
      label: 'a"b\\c\nd',
      other: { deep: [1, null] },
    };
    const row = await stored(await send({ serial, ts: 1700000000.123456, metadata: { rssi: -90 }, data }));
    expect(row).toEqual({
      ts: '1700000000.123456',
      metadata: { rssi: -90 },
      data,
      frame: null,
      numbers: [21.5, 9007199254740992, 1],
      texts: ['a"b\\c\nd'],
      many: null,
      ignored: null,
    });
  });

  it('lists values that do not fit their variable as ignored and keeps them in the source', async () => {
    const data = { temperature: 'warm', count: 1.5, on: 'yes', label: { a: 1 } };
    expect(await stored(await send({ serial, data }))).toMatchObject({
      data,
      numbers: null,
      texts: null,
      ignored: ['data.temperature', 'data.count', 'data.on', 'data.label'],
    });
  });

  it('reads numeric text as a number, and arrays as several values', async () => {
    expect(await stored(await send({ serial, data: { temperature: '21.5', count: [1, 'x', '2'] } }))).toMatchObject({
      numbers: [21.5],
      many: { count: [1, 2] },
      ignored: ['data.count'],
    });
  });

  it('decodes a frame, whose values lose to data sent beside it', async () => {
    const frame = { streamId: 1, streamType: 'BIN', payload: '04 41AC0000', encoding: 'hex' };
    expect(await stored(await send({ serial, frame, data: { label: 'x' } }))).toMatchObject({
      data: { temperature: 21.5, label: 'x' },
      metadata: { decode: { status: 'ok' } },
      frame: { streamId: 1, streamType: 'BIN', payload: '0441ac0000' },
    });
    expect(await stored(await send({ serial, frame, data: { temperature: 1 } }))).toMatchObject({
      data: { temperature: 1 },
    });
  });

  it('stores a frame that cannot be decoded', async () => {
    const frame = { streamId: 9, streamType: 'RAW', payload: 'qg==', encoding: 'base64' };
    expect(await stored(await send({ serial, frame }))).toMatchObject({
      data: {},
      metadata: { decode: { status: 'failed', warnings: [{ code: 'NO_LAYOUT', offset: 0 }] } },
      frame: { payload: 'aa' },
    });
  });

  it('reads a ts from 1e11 on as milliseconds, and a null ts as now', async () => {
    expect((await stored(await send({ serial, ts: 1700000000250, data: {} }))).ts).toBe('1700000000.250000');
    expect((await stored(await send({ serial, ts: null, data: {} }))).ts).toBe(`${noon / 1000}.000000`);
  });

  it('creates the missing partition for late data', async () => {
    expect((await stored(await send({ serial, ts: 946684800, data: { temperature: 1 } }))).ts).toBe('946684800.000000');
  });

  it('stores the valid items of a call and returns an error code for each invalid one', async () => {
    const results = await send(
      [
        { serial, data: {} },
        { serial: 'ff', data: {} },
        { serial, data: {}, ts: 1 },
        { serial, data: {}, extra: 1 },
        { serial, frame: { streamId: 1, streamType: 'BIN', payload: 'zz', encoding: 'hex' } },
        { serial, data: { text: 'a\0' } },
        { deviceId: fleet.deviceId, data: {} },
        { deviceId: 'x', data: {} },
      ]
        .map((item) => JSON.stringify(item))
        .concat('{')
        .join('\n'),
    );
    expect(results.map((result) => (result.status === 'rejected' ? result.error.code : result.status))).toEqual([
      'stored',
      'UNKNOWN_DEVICE',
      'TS_OUT_OF_RANGE',
      'VALIDATION_FAILED',
      'BAD_PAYLOAD',
      'VALIDATION_FAILED',
      'stored',
      'UNKNOWN_DEVICE',
      'MALFORMED_REQUEST',
    ]);
  });

  it('catalogues each field with the kind of its first value', async () => {
    await send([
      { serial, data: { level: 1 }, metadata: { 'a.b': 'x' } },
      { serial, data: { level: 'high', list: [{ x: true }, { x: false }] } },
    ]);
    const { rows } = await pool.query(sql`
      select path, keys, kind, multi from record_field
      where organization_id = ${fleet.organizationId} and path = any(${['data.level', 'metadata.a.b', 'data.list.x']}) order by path`);
    expect(rows).toEqual([
      { path: 'data.level', keys: ['data', 'level'], kind: 'number', multi: false },
      { path: 'data.list.x', keys: ['data', 'list', 'x'], kind: 'boolean', multi: true },
      { path: 'metadata.a.b', keys: ['metadata', 'a.b'], kind: 'text', multi: false },
    ]);
  });
});

describe('record key', () => {
  it('limits a device to one record per key, within a call and across calls', async () => {
    const [first, second] = await send([
      { serial, key: 'k1', data: {} },
      { serial, key: 'k1', data: {} },
    ]);
    const [third] = await send({ serial, key: 'k1', data: {} });
    expect(first).toMatchObject({ status: 'stored' });
    expect(second).toEqual({ ...first, status: 'duplicate' });
    expect(third).toEqual({ ...first, status: 'duplicate' });
  });

  it('accepts a second record 48 hours after the first', async () => {
    await send({ serial, key: 'k2', data: {} });
    now = noon + 48 * 3600e3;
    const [again] = await send({ serial, key: 'k2', data: {} });
    now = noon;
    expect(again).toMatchObject({ status: 'stored' });
  });

  it('stores one of 50 concurrent records with the same key', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => send({ serial, key: 'k3', data: {} })));
    expect(results.flat().filter(({ status }) => status === 'stored')).toHaveLength(1);
  });
});

describe('idempotency key', () => {
  const hash = (text: string) => Buffer.from(text);

  it('returns the first answer to a repeat for 24 hours', async () => {
    const first = await send({ serial, data: {} }, { key: 'once', bodyHash: hash('a') });
    expect(await send({ serial, data: {} }, { key: 'once', bodyHash: hash('a') })).toEqual(first);
    now = noon + 24 * 3600e3;
    const later = await send({ serial, data: {} }, { key: 'once', bodyHash: hash('a') });
    now = noon;
    expect(later).not.toEqual(first);
  });

  it('throws VALIDATION_FAILED when the key comes again with another body', async () => {
    await send({ serial, data: {} }, { key: 'other', bodyHash: hash('a') });
    await expect(send({ serial, data: {} }, { key: 'other', bodyHash: hash('b') })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });

  it('stores the records once when ten calls with the same key arrive at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 10 }, () => send({ serial, data: {} }, { key: 'storm', bodyHash: hash('a') })),
    );
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
  });
});

describe('writes that follow from records', () => {
  it('receives each stored record before the commit', async () => {
    const seen: StoredRecord[] = [];
    follow = async (records) => void seen.push(...records);
    await send({ serial, ts: 1700000000, data: { temperature: 1 } });
    follow = async () => undefined;
    expect(seen).toMatchObject([
      {
        ts: 1700000000,
        data: { temperature: 1 },
        device: {
          id: fleet.deviceId,
          serial: '00-04-a3',
          product: { id: fleet.productId, organizationId: fleet.organizationId },
        },
      },
    ]);
  });

  it('rolls back the records of its own call alone when it throws', async () => {
    follow = async (records) => {
      if (records.some(({ data }) => data.poison)) throw new TypeError('poison');
      return undefined;
    };
    const good = Promise.all(Array.from({ length: 5 }, () => send({ serial, data: { good: 1 } })));
    await expect(send({ serial, key: 'poison', data: { poison: 1 } })).rejects.toThrow('poison');
    expect((await good).flat()).toHaveLength(5);
    follow = async () => undefined;
    expect(await send({ serial, key: 'poison', data: {} })).toMatchObject([{ status: 'stored' }]);
  });
});

describe('record store on a database with a full disk', () => {
  it('throws UNAVAILABLE, and stores the same record once the database accepts writes again', async () => {
    await pool.query(`
      create function full_disk() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
      create trigger full_disk before insert on record_dirty execute function full_disk()`);
    await expect(send({ serial, key: 'full', data: {} })).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 });
    await pool.query('drop trigger full_disk on record_dirty');
    expect(await send({ serial, key: 'full', data: {} })).toMatchObject([{ status: 'stored' }]);
  });
});

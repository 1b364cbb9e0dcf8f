import { beforeAll, describe, expect, it } from '@jest/globals';
import { dayMs } from '#common/time.js';
import { recomputeDue } from '#records/postgres/earlier/due.js';
import { purgeDevices } from '#records/postgres/upkeep/purge.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let at: string;
let count = 0;

beforeAll(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
});

const layout = (varNumber: number) => ({ mappings: [{ streamId: 1, streamType: 'RAW', varNumber }] });
const variables = [
  { name: 'energy', type: 'INT16', ...layout(1) },
  { name: 'open', type: 'BOOL' },
];
const derived = [
  { name: 'used', type: 'FLOAT32', formula: 'energy - previous(energy)' },
  { name: 'power', type: 'FLOAT32', formula: 'used / elapsed() * 3600' },
  { name: 'opened', type: 'BOOL', formula: 'open && !previous(open)' },
];

interface Meter {
  product: string;
  device: string;
  serial: string;
}

const put = async (productId: string, formulas: object[]) => {
  const { body } = await owner.graph(
    `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) {
      putProductSettings(organizationId: $o, productId: $p, settings: $s) { id } }`,
    { o: owner.id, p: productId, s: { derived: formulas } },
  );
  return body;
};

const make = async (formulas: object[] = derived): Promise<Meter> => {
  const serial = `ea-${(count += 1)}`;
  const product = await owner.make(`${at}/products`, { name: 'Meter', version: '1', variables });
  if ((await put(product, formulas)).errors) throw new Error('The settings were refused.');
  const device = await owner.make(`${at}/devices/${serial}`, { product: { id: product } });
  return { product, device, serial };
};

const send = async ({ serial }: Meter, ...records: { ts: number; data?: object; frame?: object; key?: string }[]) => {
  const { body } = await owner.post<{ rejected: number }>(
    `${at}/records`,
    records.map(({ ts, ...record }) => ({ serial, ts: 1.7e9 + ts, ...record })),
  );
  expect(body.rejected).toBe(0);
};

/** Returns the data and the absent variables of the records of a device, in order. */
const stored = async ({ device }: Pick<Meter, 'device'>) => {
  const { rows } = await world.pool.query<{ data: object; metadata: object; given: object }>(
    'select data, metadata, given from record where device_id = $1 order by ts, id',
    [device],
  );
  return rows;
};
const dataOf = async (meter: Pick<Meter, 'device'>) => (await stored(meter)).map(({ data }) => data);

const recompute = async (productId: string, more: object = {}) => {
  const { body } = await owner.graph(
    `mutation ($o: ID!, $p: ID!, $from: UnixTime, $to: UnixTime, $dry: Boolean) {
      recomputeProduct(organizationId: $o, productId: $p, from: $from, to: $to, dryRun: $dry) { id } }`,
    { o: owner.id, p: productId, ...more },
  );
  const { id } = body.data!['recomputeProduct'] as { id: string };
  for (;;) {
    const { body: job } = await owner.get<{ state: string; changed: number }>(`${at}/jobs/${id}`);
    if (job.state === 'done' || job.state === 'failed') return job;
  }
};

const settle = async () => {
  while (await recomputeDue(world.pool));
};

describe('formula that reads earlier records', () => {
  it('takes the last earlier value of a variable, and the seconds since the record before', async () => {
    const meter = await make();
    await send(meter, { ts: 0, data: { energy: 5 } }, { ts: 1800, data: { open: true } });
    await send(meter, { ts: 3600, data: { energy: 7, open: false } }, { ts: 7200, data: { energy: 10, open: true } });
    const rows = await stored(meter);
    expect(rows.map(({ data }) => data)).toEqual([
      { energy: 5 },
      { open: true },
      { energy: 7, used: 2, power: 4, open: false, opened: false },
      { energy: 10, used: 3, power: 3, open: true, opened: true },
    ]);
    expect(rows[0]!.metadata).toMatchObject({
      derived: {
        absent: [
          { variable: 'used', code: 'MISSING', input: 'previous(energy)' },
          { variable: 'opened', code: 'MISSING', input: 'open' },
          { variable: 'power', code: 'MISSING', input: 'used' },
        ],
      },
    });
  });

  it('gives the record after a late one a new value, with the attributes of that time', async () => {
    const meter = await make([{ name: 'used', type: 'FLOAT32', formula: 'energy - previous(energy) + device.offset' }]);
    await owner.put(`/devices/${owner.id}/${meter.device}/attributes`, {
      attributes: [{ name: 'offset', value: 100, validFrom: 1.6e9 }],
    });
    await send(meter, { ts: 0, data: { energy: 1 } }, { ts: 100, data: { energy: 5, used: 'sent' } });
    await send(meter, { ts: 200, data: { energy: 6 } });
    await send(meter, { ts: 60, data: { energy: 4 } }, { ts: 50, data: { energy: 3 } }, { ts: 70, data: {} });
    expect(await dataOf(meter)).toEqual([
      { energy: 1 },
      { energy: 3, used: 102 },
      { energy: 4, used: 101 },
      {},
      { energy: 5, used: 101 },
      { energy: 6, used: 101 },
    ]);
    expect((await stored(meter))[4]!.metadata).toEqual({ derived: { sent: { used: 'sent' } } });
  });

  it('ignores repeated records', async () => {
    const meter = await make();
    const records = [10, 20, 30].map((ts) => ({ ts, data: { energy: ts }, key: `r${ts}` }));
    await send(meter, ...records);
    await send(meter, ...records.toReversed(), { ts: 40, data: { energy: 44 } });
    expect((await dataOf(meter)).slice(-2)).toMatchObject([{ used: 10 }, { used: 14 }]);
  });

  it('reads no records under another product', async () => {
    const meter = await make();
    const other = await make();
    const path = `/devices/${owner.id}/${meter.device}`;
    await send(meter, { ts: 0, data: { energy: 1 } });
    await owner.put(path, { product: { id: other.product } });
    await send(meter, { ts: 10, data: { energy: 100 } }, { ts: 20, data: { energy: 101 } });
    await owner.put(path, { product: { id: meter.product } });
    await send(meter, { ts: 30, data: { energy: 3 } });
    expect((await dataOf(meter)).map((data) => (data as { used?: number }).used)).toEqual([undefined, undefined, 1, 2]);
  });

  it('reads records that were stored before it, also of variables that it names later', async () => {
    const meter = await make([]);
    await send(meter, { ts: 0, data: { open: false } }, { ts: 10, data: { energy: 4 } });
    await put(meter.product, [derived[0]!]);
    await send(meter, { ts: 20, data: { energy: 6 } });
    await put(meter.product, [derived[2]!]);
    await send(meter, { ts: 30, data: { open: true } });
    // Records from before the formula have no values until the product is recomputed.
    await send(meter, { ts: 5, data: { energy: 3 } });
    expect(await dataOf(meter)).toEqual([
      { open: false },
      { energy: 3 },
      { energy: 4 },
      { energy: 6, used: 2 },
      { open: true, opened: true },
    ]);
  });

  it('gives the same records after recomputing as when they are stored in order', async () => {
    const frame = (energy: string) => ({ frame: { streamId: 1, streamType: 'RAW', payload: energy } });
    const records = [
      { ts: 0, data: { energy: 1 } },
      { ts: 10, ...frame('0003'), data: { open: true } },
      { ts: 20, data: {} },
      { ts: 30, ...frame('0009') },
    ];
    const meter = await make([]);
    await send(meter, ...records.toReversed());
    await put(meter.product, derived);
    await recompute(meter.product);
    expect(await recompute(meter.product)).toMatchObject({ state: 'done', changed: 0 });
    const anew = await make();
    await send(anew, ...records);
    expect(await stored(meter)).toEqual(await stored(anew));
    await send(meter, { ts: 40, data: { energy: 10 } });
    expect((await dataOf(meter)).at(-1)).toMatchObject({ used: 1 });
  });

  it('follows changes of decoding before its record', async () => {
    const frame = (energy: string) => ({ frame: { streamId: 1, streamType: 'RAW', payload: energy } });
    const meter = await make();
    const declare = (type: string) => {
      const changed = [{ ...variables[0]!, type }, variables[1]!];
      return owner.put(`/products/${owner.id}/${meter.product}`, { name: 'Meter', version: type, variables: changed });
    };
    const used = async () => (await dataOf(meter)).map((data) => (data as { used?: number }).used);
    await declare('UINT8');
    await send(meter, { ts: 0, ...frame('0102') }, { ts: 10, ...frame('0103') }, { ts: 20, data: { energy: 9 } });
    expect(await used()).toEqual([undefined, 0, 8]);
    await declare('INT16');
    // The range ends before the last two.
    expect(await recompute(meter.product, { to: 1.7e9 + 5 })).toMatchObject({ state: 'done' });
    await settle();
    expect(await used()).toEqual([undefined, 1 - 0x102, 8]);
    await recompute(meter.product);
    expect(await used()).toEqual([undefined, 1, 9 - 0x103]);
    await send(meter, { ts: 30, data: { energy: 10 } });
    expect((await dataOf(meter)).at(-1)).toMatchObject({ used: 1 });
  });

  it('keeps nothing of a deleted device', async () => {
    const meter = await make();
    await send(meter, { ts: 0, data: { energy: 1 } });
    const kept = async () =>
      (await world.pool.query('select from record_earlier where device_id = $1', [meter.device])).rowCount;
    expect(await kept()).toBe(1);
    await owner.delete(`/devices/${owner.id}/${meter.device}`);
    while (await purgeDevices(world.pool, new Date(Date.now() + dayMs)));
    expect(await kept()).toBe(0);
  });
});

describe('putProductSettings with formulas that read earlier records', () => {
  it.each<[string, string]>([
    ['a derived variable', 'previous(used)'],
    ['an attribute', 'previous(device.offset)'],
    ['an unknown name', 'previous(unknown)'],
    ['an earlier value', 'previous(previous(energy))'],
    ['a sum', 'previous(energy + 1)'],
    ['nothing', 'previous()'],
    ['a variable of another type', 'previous(open)'],
    ['a variable whose time is asked for', 'elapsed(energy)'],
    ['10,000 brackets', `previous(${'('.repeat(10_000)}energy${')'.repeat(10_000)})`],
    ['100 levels', `${'previous('.repeat(100)}energy${')'.repeat(100)}`],
    ['900,000 characters', `previous(${'a'.repeat(900_000)})`],
  ])('refuses %s', async (_, formula) => {
    const product = await owner.make(`${at}/products`, { name: 'Meter', version: '1', variables });
    const { errors } = await put(product, [derived[0]!, { name: 'bad', type: 'FLOAT32', formula }]);
    expect(errors).toMatchObject([
      {
        extensions: {
          code: 'VALIDATION_FAILED',
          errors: [expect.objectContaining({ path: 'settings.derived.1.formula' })],
        },
      },
    ]);
  });
});

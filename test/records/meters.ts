import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import type { PlainJson } from '#json/json.js';
import type { Item, PlainObject } from '#records/item.js';
import { recomputeDue } from '#records/postgres/earlier/due.js';
import type { RecordStore } from '#records/postgres/log/store.js';
import { buildFleet, type Fleet } from './fleet.js';

const variables = [
  { name: 'energy', type: VariableType.FLOAT32 },
  { name: 'open', type: VariableType.BOOL },
  { name: 'o.x', type: VariableType.FLOAT32 },
];
const derived = [
  { name: 'used', type: VariableType.FLOAT32, formula: 'energy - previous(energy)' },
  { name: 'power', type: VariableType.FLOAT32, formula: 'used / elapsed()' },
  { name: 'was', type: VariableType.BOOL, formula: 'previous(open)' },
  { name: 'inner', type: VariableType.FLOAT32, formula: 'has(previous(`o.x`)) ? previous(`o.x`) : elapsed()' },
];

let fleets = 0;

/** A fleet of several devices, whose product has formulas that read earlier records. */
export type Meters = Fleet & { deviceIds: string[] };

/** Creates meters. */
export const buildMeters = async (pool: Pool, deviceCount: number): Promise<Meters> => {
  const fleet = await buildFleet(pool, `e${(fleets += 1)}`, variables);
  await pool.query(
    sql`update product set settings = ${JSON.stringify({ derived })}::jsonb where id = ${fleet.productId}`,
  );
  const deviceIds = [fleet.deviceId];
  for (let index = 1; index < deviceCount; index += 1) {
    const id = newId();
    const serial = `e${fleets}-${index}`;
    await pool.query(sql`
      insert into device (id, organization_id, serial, slug, product_id, created_at, updated_at)
      values (${id}, ${fleet.organizationId}, ${serial}, ${serial}, ${fleet.productId}, now(), now())`);
    deviceIds.push(id);
  }
  return { ...fleet, deviceIds };
};

/** A stored record of meters. */
interface Row {
  id: string;
  device: string;
  ts: number;
  data: PlainObject;
  metadata: { derived?: { absent: { variable: string; code: string; input?: string }[] } };
  numbers: (number | null)[] | null;
}

/** Returns the records of meters in their order. */
export const meterRows = async (pool: Pool, { organizationId }: Fleet): Promise<Row[]> =>
  (
    await pool.query<Row>(sql`
      select id, device_id as device, extract(epoch from ts)::float8 as ts, data, metadata, numbers from record
      where organization_id = ${organizationId} order by device_id, ts, id`)
  ).rows;

/** Returns what formulas give for records in order, without the code under test. */
export const fold = (rows: readonly Row[]) => {
  let device = '';
  let past: { energy?: number; open?: boolean; x?: number; ts?: number } = {};
  return rows.map(({ data, ts, ...row }) => {
    if (row.device !== device) past = {};
    device = row.device;
    const values: Record<string, PlainJson> = {};
    const absent: Record<string, string> = {};
    const { energy, open, o } = data as { energy?: number; open?: boolean; o?: { x: number } };
    const elapsed = past.ts === undefined ? undefined : Math.round((ts - past.ts) * 1e6) / 1e6;
    const give = (name: string, value: PlainJson | undefined, why: string) => {
      if (value === undefined) absent[name] = why;
      else values[name] = value;
    };
    const used = energy === undefined || past.energy === undefined ? undefined : energy - past.energy;
    give('used', used, energy === undefined ? 'energy' : 'previous(energy)');
    const power = used === undefined || elapsed === undefined || elapsed === 0 ? undefined : used / elapsed;
    give('power', power, used === undefined ? 'used' : elapsed === 0 ? 'DIVISION_BY_ZERO' : 'elapsed()');
    give('was', past.open, 'previous(open)');
    give('inner', past.x ?? elapsed, 'elapsed()');
    past = { energy: energy ?? past.energy!, open: open ?? past.open!, x: o?.x ?? past.x!, ts };
    return { values, absent };
  });
};

/** Returns the derived variables of a record, and the inputs that are missing. */
export const shown = ({ data, metadata }: Row) => ({
  values: Object.fromEntries(derived.flatMap(({ name }) => (Object.hasOwn(data, name) ? [[name, data[name]!]] : []))),
  absent: Object.fromEntries(
    (metadata.derived?.absent ?? []).map(({ variable, code, input }) => [variable, input ?? code]),
  ),
});

/** Computes all noted records again. */
export const settle = async (pool: Pool) => {
  while (await recomputeDue(pool));
};

/** A record as a meter sends it. */
interface Sent {
  device: number;
  ts: number;
  data: PlainObject;
  key: number;
}

const sent: fc.Arbitrary<Sent> = fc.record({
  device: fc.nat(2),
  ts: fc.integer({ min: 0, max: 60 }).map((offset) => 1.7e9 + offset / 2),
  data: fc.record(
    { energy: fc.integer({ min: 0, max: 99 }), open: fc.boolean(), o: fc.record({ x: fc.nat(9) }) },
    { requiredKeys: [] },
  ) as fc.Arbitrary<PlainObject>,
  key: fc.nat(60),
});
/** Arbitrary batches of three meters, within half a minute. */
export const batches = fc.array(fc.array(sent, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 });

/** Stores a batch. */
export const put = (to: RecordStore, fleet: Meters, batch: readonly Sent[]) =>
  to.store({
    organizationId: fleet.organizationId,
    items: batch.map(
      ({ device, ts, data, key }): Item => ({
        serials: [],
        deviceId: fleet.deviceIds[device]!,
        ts,
        data,
        metadata: {},
        key: `k${key}`,
      }),
    ),
    refusedIf: 'any',
  });

/** Expects that all derived variables are those of a fold over the records. */
export const expectFold = async (pool: Pool, fleet: Fleet) => {
  const rows = await meterRows(pool, fleet);
  expect(rows.map(shown)).toEqual(fold(rows));
  const slot = await pool.query<{ slot: number }>(
    sql`select slot from product_slot where product_id = ${fleet.productId} and name = 'used'`,
  );
  const place = slot.rows[0]!.slot - 1;
  expect(rows.map(({ numbers }) => numbers?.[place] ?? undefined)).toEqual(rows.map(({ data }) => data['used']));
};

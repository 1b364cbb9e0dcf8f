import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { daySeconds, hourSeconds } from '#common/time.js';
import { isConflict } from '#database/transaction.js';
import { StreamType, VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { parsePlain } from '#json/plain.js';
import { setRetention } from '#operator/retention.js';
import { retire } from '#records/postgres/upkeep/retention.js';
import { readNative } from '#records/record-body.js';
import type { LogJob, LogStep } from '#records/record-log.js';
import type { TestRecords } from '../support/records.js';
import { noise, purgeAll, rollUpAll } from './rolled.js';
import { buildWorld, type World, worldNow } from './world.js';

const days = 22;
export const now = worldNow / 1000;
/** Time of the first record, in Unix seconds. */
export const start = now - days * daySeconds;
const products = ['first', 'second'] as const;
const serials = ['a1', 'a2', 'b1', 'b2'];

/** Days of one week with enough records for counts by value to pay off. */
const dense = new Set([4, 9]);
/** The types that variable `v` takes, one after the other. */
const types = [VariableType.INT16, VariableType.FLOAT32, VariableType.TXT, VariableType.BOOL];

const recordOf = (index: number, onDay: number) => {
  const [t, u] = [Math.floor(noise(index + 0.5) ** 3 * 30_000), Math.floor(noise(index + 0.3) * 7)];
  const frame = {
    streamId: 1,
    streamType: StreamType.RAW,
    payload: Buffer.from(Int16Array.of(t, u).buffer).swap16().toString('hex'),
  };
  const ts =
    start + onDay * daySeconds + Math.floor(noise(index + 0.1) * 3) * 5 * hourSeconds + noise(index) * hourSeconds;
  return {
    // On other days, the few records come from one device. When that device is deleted, the day becomes empty, while
    // other days of its week keep records.
    serial: serials[(dense.has(onDay) ? index : onDay) % serials.length]!,
    ts: Math.round(Math.min(ts, now - 1) * 1e6) / 1e6,
    key: `${index}`,
    ...(index % 3 === 0 ? { frame } : {}),
    data: {
      ...(index % 3 === 0 ? {} : { t, ...(index % 5 === 0 ? {} : { u }) }),
      ...(index % 4 === 0 ? {} : { state: noise(index + 0.2) < 0.4 ? 'error' : 'ok' }),
      ...(index % 7 === 0 ? { on: index % 2 === 0 } : {}),
      label: `no. ${index}`,
      ...(index % 2 === 0 ? { v: index % 8 } : {}),
    },
  };
};
const base = Array.from({ length: days }, (_, onDay) => Array<number>(dense.has(onDay) ? 300 : 25).fill(onDay))
  .flat()
  .map((onDay, index) => recordOf(index, onDay));

/** The variables of a product: the type of `v`, and whether frames hold `t` before `u`. */
const variablesOf = (vType: VariableType, swapped: boolean) => {
  const place = (varNumber: number) => [{ streamId: 1, streamType: StreamType.RAW, varNumber }];
  return [
    { name: 't', type: VariableType.INT16, mappings: place(swapped ? 2 : 1) },
    { name: 'u', type: VariableType.INT16, mappings: place(swapped ? 1 : 2) },
    { name: 'state', type: VariableType.TXT },
    { name: 'label', type: VariableType.TXT },
    { name: 'on', type: VariableType.BOOL },
    { name: 'v', type: vType },
  ];
};

/** Serialization failures between two transactions. */
/** Runs upkeep as a process does: a step that conflicts with another is repeated later. */
export const upkeep = (pool: Pool): Promise<void> =>
  rollUpAll(pool).catch((error: unknown) => {
    if (!isConflict(error)) throw error;
  });

/** The changes that may happen to a world's records. Two numbers select the affected records. */
export class History {
  private readonly variables = products.map(() => ({ type: 0, swapped: false }));
  private stored = base.length;

  private constructor(
    private readonly records: TestRecords,
    readonly world: World,
  ) {}

  /** Creates an organization with devices of two products and three weeks of records. */
  static async begin(pool: Pool, records: TestRecords): Promise<History> {
    const devices = serials.map((serial) => ({ serial, product: serial.startsWith('a') ? 'first' : 'second' }));
    const variables = variablesOf(types[0]!, false);
    const made = { first: variables, second: variables.toReversed() };
    return new History(records, await buildWorld(pool, { products: made, devices, records: base }, records));
  }

  /** Stores late records, some of them in one hour. */
  late(a: number, b: number) {
    const late = Array.from({ length: 1 + (b % 40) }, () =>
      recordOf(++this.stored, (a + (b % 2) * (this.stored % 3)) % days),
    );
    return this.append(late);
  }
  /** Repeats earlier records by their keys. */
  again(a: number, b: number) {
    return this.append(base.slice((a * 17) % base.length).slice(0, 1 + (b % 60)));
  }
  async retype(a: number, b: number) {
    this.variables[a % 2]!.type += 1 + (b % 3);
    await this.declare(a % 2);
  }
  async remap(a: number) {
    const one = this.variables[a % 2]!;
    one.swapped = !one.swapped;
    await this.declare(a % 2);
  }
  async redecode(a: number, b: number) {
    const input = {
      productId: this.world.productIds[products[a % 2]!]!,
      from: start + (b % days) * daySeconds,
      to: b % 3 === 0 ? null : start + ((b % days) + 5) * daySeconds,
      dryRun: false,
    };
    for (let cursor: PlainJson = null, finished = false; !finished; ) {
      const job: LogJob = { organizationId: this.world.organizationId, input, cursor };
      const next: LogStep = await this.records.transaction((tx) => this.records.log.redecode(tx, job));
      ({ cursor, finished } = next);
    }
  }
  async remove(a: number) {
    await this.unlink(a);
    const { rowCount } = await this.world.pool.query(
      sql`delete from device where serial = ${serials[a % 4]!} and organization_id = ${this.world.organizationId}`,
    );
    if (rowCount) await purgeAll(this.world.pool);
  }
  /** Deletes all records before a time, or those of one product. Partitions that become empty are dropped. */
  async expire(a: number, b: number) {
    const { pool, organizationId, productIds } = this.world;
    const keepOf = (part: number) => (now - start - (part % 15) * daySeconds - (part % 7) * 1000) * 1000;
    const { rows } = await pool.query<{ id: string }>(sql`select id from account where type = 'organization'`);
    for (const { id } of rows) await setRetention(pool, { organizationId: id, productId: null }, keepOf(a));
    if (b % 2 === 0) await setRetention(pool, { organizationId, productId: productIds['first']! }, keepOf(b));
    await retire(pool, new Date(worldNow), () => false);
  }
  async move(a: number, b: number) {
    await this.world.pool.query(sql`
      update device set product_id = ${this.world.productIds[products[b % 2]!]!}
      where serial = ${serials[a % 4]!} and organization_id = ${this.world.organizationId}`);
  }
  async unlink(a: number) {
    await this.world.pool.query(sql`
      delete from application_device where device_id = (
        select id from device where serial = ${serials[a % 4]!} and organization_id = ${this.world.organizationId})`);
  }
  async upkeep() {
    await upkeep(this.world.pool);
  }

  private async append(items: readonly object[]) {
    const { organizationId } = this.world;
    await this.records.log.append({ organizationId, items: readNative(parsePlain(JSON.stringify(items))) });
  }
  private async declare(index: number) {
    const { type, swapped } = this.variables[index]!;
    const variables = JSON.stringify(variablesOf(types[type % types.length]!, swapped));
    await this.world.pool.query(sql`
      update product set variables = ${variables}, version = version || '1' where id = ${this.world.productIds[products[index]!]!}`);
  }
}
/** The kinds of changes. */
export const kinds = [
  'late',
  'again',
  'retype',
  'remap',
  'redecode',
  'remove',
  'expire',
  'move',
  'unlink',
  'upkeep',
] as const;
/** One change, and whether upkeep runs meanwhile. */
export type Step = readonly [kind: (typeof kinds)[number], a: number, b: number, besideUpkeep: boolean];

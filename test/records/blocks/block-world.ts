import { afterAll, beforeAll } from '@jest/globals';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { createPool } from '#database/pools.js';
import { transaction } from '#database/transaction.js';
import { VariableType } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import type { PlainObject } from '#records/item.js';
import { rollUpAloneDays } from '#records/postgres/blocks/alone-work.js';
import { findDaysToFreeze, freezeDay } from '#records/postgres/blocks/freeze-day.js';
import { type MadeDay, makeDay } from '#records/postgres/blocks/make-day.js';
import { makeDueDays } from '#records/postgres/blocks/make-due-days.js';
import { findDueDays, type NotedDay } from '#records/postgres/blocks/noted-day.js';
import { thawDay } from '#records/postgres/blocks/thaw-day.js';
import { type ComparedDay, compareDay, listBlockedDays } from '#records/postgres/blocks/verify-days.js';
import { createRecordStore, type RecordStore } from '#records/postgres/log/store.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { summarize } from '#records/postgres/upkeep/summary.js';
import { useDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';
import { buildFleet, type Fleet } from '../fleet.js';

export const daySeconds = 24 * 3600;
/** Start of a day that is over, in Unix seconds. */
export const midnight = (Math.floor(Date.now() / 1000 / daySeconds) - 5) * daySeconds;
/** A time at which all notes are due. */
export const later = new Date(Date.now() + 2 * daySeconds * 1000);

const variables = [
  { name: 't', type: VariableType.FLOAT32 },
  { name: 'on', type: VariableType.BOOL },
  { name: 'label', type: VariableType.TXT },
];

/** Records of fleets, and their blocks. */
export interface BlockWorld {
  readonly store: RecordStore;
  fleetOf(): Promise<Fleet>;
  /** Stores records of a device. `ts` is in seconds after `midnight`. */
  put(fleet: Fleet, ...items: [ts: number, data: PlainObject][]): Promise<void>;
  rollUpAll(): Promise<void>;
  /** Makes all due days, and returns their faults. */
  make(now?: Date): Promise<string[]>;
  /** Makes all rollups and then all due days. */
  makeAgain(): Promise<void>;
  /** Compares the days of an organization that have blocks. */
  compare(fleet: Pick<Fleet, 'organizationId'>): Promise<ComparedDay[]>;
  /** Deletes the rows of the days of an organization that are in blocks. Returns the number of days. */
  freeze(fleet: Pick<Fleet, 'organizationId'>): Promise<number>;
  /** Restores the rows of all days of an organization. */
  thaw(fleet: Pick<Fleet, 'organizationId'>): Promise<void>;
  /** Does all upkeep, also of days in blocks alone. */
  maintain(): Promise<void>;
  /** Makes the only due day of an organization. */
  makeOne(fleet: Pick<Fleet, 'organizationId'>): Promise<MadeDay>;
  /** Runs work while nobody can write blocks. */
  whileLocked(work: (release: () => Promise<void>) => Promise<void>): Promise<void>;
  /** Resolves with the backend of the maker once it waits to write blocks. */
  waitingMaker(): Promise<number>;
}

/** Creates the world over a database that no service maintains. */
export const createBlockWorld = (pool: Pool): BlockWorld => {
  const store = createRecordStore({ pool, clock: Date.now, plans: [] });
  let serials = 0;
  const dueOf = async ({ organizationId }: Pick<Fleet, 'organizationId'>): Promise<NotedDay> =>
    (await findDueDays(pool, later)).find(({ organization_id }) => organization_id === organizationId)!;
  const rollUpAll = async () => {
    while ((await rollUp(pool, later)) > 0);
  };
  const make = async (now = later) => {
    const faults: string[] = [];
    await makeDueDays(pool, now, { onDay: () => undefined, onFault: (_, fault) => faults.push(fault) });
    return faults;
  };
  return {
    store,
    fleetOf: () => buildFleet(pool, `f${++serials}`, variables),
    async put({ organizationId, deviceId }, ...items) {
      await store.store({
        organizationId,
        items: items.map(([ts, data]) => ({
          serials: [],
          deviceId,
          ts: midnight + ts,
          data,
          metadata: { rssi: -60 - (ts % 20) },
          key: newId(),
        })),
        refusedIf: 'any',
      });
    },
    rollUpAll,
    make,
    async makeAgain() {
      await rollUpAll();
      await make();
    },
    async compare({ organizationId }) {
      const days = await listBlockedDays(pool);
      const compared: ComparedDay[] = [];
      for (const day of days) if (day.organization_id === organizationId) compared.push(await compareDay(pool, day));
      return compared;
    },
    async freeze({ organizationId }) {
      let frozen = 0;
      for (const day of await findDaysToFreeze(pool, later))
        if (day.organization_id === organizationId && (await freezeDay(pool, day))) frozen++;
      return frozen;
    },
    async thaw({ organizationId }) {
      for (const day of await listBlockedDays(pool))
        if (day.organization_id === organizationId) await transaction(pool, (tx) => thawDay(tx, day));
    },
    async maintain() {
      await rollUpAll();
      while ((await rollUpDays(pool, later)) > 0);
      await rollUpAloneDays(pool, later);
      while ((await summarize(pool, later)) > 0);
      await make();
    },
    makeOne: async (fleet) => makeDay(pool, await dueOf(fleet)),
    async whileLocked(work) {
      const other = await pool.connect();
      await other.query('begin; lock table record_block in share mode');
      let isLocked = true;
      const release = async () => {
        if (isLocked) await other.query('commit');
        isLocked = false;
      };
      try {
        await work(release);
      } finally {
        await release();
        other.release();
      }
    },
    async waitingMaker() {
      let pid: number | undefined;
      await until(async () => {
        const { rows } = await pool.query<{ pid: number }>(
          sql`select pid from pg_locks where relation = 'record_block'::regclass and not granted`,
        );
        pid = rows[0]?.pid;
        return pid !== undefined;
      });
      return pid!;
    },
  };
};

/** Creates the world over a database of its own before the tests of a file, and closes it after them. */
export const useBlockWorld = (take: (pool: Pool, world: BlockWorld) => void) => {
  const database = useDatabase();
  let close: () => Promise<unknown>;
  beforeAll(() => {
    const pool = createPool(database.url);
    const world = createBlockWorld(pool);
    close = async () => {
      await world.store.close();
      await pool.end();
    };
    take(pool, world);
  });
  afterAll(() => close());
  return database;
};

/** Result of comparing a day whose blocks have all its records. */
export const same = (records: number): ComparedDay => ({ outcome: 'same', records });

/** Some records of a day, one a minute. */
export const someRecords = (count: number, from = 0): [ts: number, data: PlainObject][] =>
  Array.from({ length: count }, (_, index): [number, PlainObject] => [
    from + index * 60,
    index % 7 === 0 ? { label: `l${index % 5}`, other: { x: index } } : { t: index / 10, on: index % 3 === 0 },
  ]);

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { isConflict, transaction } from '#database/transaction.js';
import { rollUpAloneDays } from '#records/postgres/blocks/alone-work.js';
import { markDirty } from '#records/postgres/log/dirty.js';
import { keepRows } from '#records/postgres/upkeep/alone-day.js';
import type { Fleet } from '../../fleet.js';
import { type BlockWorld, daySeconds, later, midnight, useBlockWorld } from '../block-world.js';

let pool: Pool;
let world: BlockWorld;
useBlockWorld((...made) => {
  [pool, world] = made;
});

/** Changes of records, and work of the upkeep. Those of one step run at the same time. */
type Work =
  | { kind: 'put'; day: number; minute: number; count: number }
  | { kind: 'change'; day: number }
  | { kind: 'make' | 'rollUp' | 'freeze' | 'settle' | 'thaw' };

const day = fc.nat(2);
const step = fc.array<Work>(
  fc.oneof(
    fc.record({
      kind: fc.constant('put' as const),
      day,
      minute: fc.nat(1200),
      count: fc.integer({ min: 1, max: 200 }),
    }),
    fc.record({ kind: fc.constant('change' as const), day }),
    fc.record({
      kind: fc.constantFrom(
        'make' as const,
        'rollUp' as const,
        'freeze' as const,
        'settle' as const,
        'settle' as const,
        'thaw' as const,
      ),
    }),
  ),
  { minLength: 1, maxLength: 4 },
);

/** Returns the records of a fleet, without what the order of storing decides. */
const recordsOf = async ({ organizationId }: Fleet): Promise<string[]> => {
  const { rows } = await pool.query<{ record: string }>(sql`
    select concat_ws(' ', ts, data, metadata, numbers, texts) as record from record where organization_id = ${organizationId} order by 1`);
  return rows.map(({ record }) => record);
};

/** Changes all records of a day that have rows, as decoding again does. */
const change = ({ organizationId, productId }: Fleet, which: number): Promise<void> =>
  transaction(pool, async (tx) => {
    await keepRows(tx);
    const start = midnight - which * daySeconds;
    const { rowCount } = await tx.query(sql`
      update record set data = data || '{"changed": true}'
      where organization_id = ${organizationId} and ts >= to_timestamp(${start}) and ts < to_timestamp(${start + daySeconds})`);
    if (rowCount! > 0) await markDirty(tx, [{ organizationId, productId, ts: start }]);
  });

/** Makes rollups and blocks of all days. */
const settle = async (): Promise<void> => {
  await world.rollUpAll();
  await rollUpAloneDays(pool, later);
  await world.make();
};

const run = async (fleet: Fleet, work: Work, index: number): Promise<void> => {
  const { kind } = work;
  if (kind === 'put') {
    const start = work.minute * 60 - work.day * daySeconds;
    const items = Array.from({ length: work.count }, (_, place): [number, { t: number }] => [
      start + place,
      { t: index + place / 10 },
    ]);
    await world.put(fleet, ...items);
  } else if (kind === 'change') await change(fleet, work.day);
  else if (kind === 'make') await world.make();
  else if (kind === 'rollUp') {
    await world.rollUpAll();
    await rollUpAloneDays(pool, later);
  } else if (kind === 'settle') {
    await settle();
    await world.freeze(fleet);
  } else if (kind === 'freeze') await world.freeze(fleet);
  else await world.thaw(fleet);
};

/** Runs work that a concurrent transaction may refuse, as the upkeep does, which repeats it later. */
const attempt = async (fleet: Fleet, work: Work, index: number): Promise<void> => {
  try {
    await run(fleet, work, index);
  } catch (error) {
    if (!isConflict(error) || work.kind === 'put') throw error;
  }
};

describe('day in blocks alone beside other work', () => {
  it('keeps each record once, in whatever order records arrive, change, and lose their rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const fleet = await world.fleetOf();
        let stored = 0;
        for (const [index, works] of steps.entries()) {
          await Promise.all(works.map((work) => attempt(fleet, work, index)));
          for (const work of works) if (work.kind === 'put') stored += work.count;
        }
        await settle();
        await settle();
        for (const compared of await world.compare(fleet)) expect(compared.outcome).toBe('same');
        await world.freeze(fleet);
        expect(await recordsOf(fleet)).toEqual([]);
        await world.thaw(fleet);
        const records = await recordsOf(fleet);
        expect(records).toHaveLength(stored);
        const { rows } = await pool.query(sql`
          select id from record where organization_id = ${fleet.organizationId} group by id having count(*) > 1`);
        expect(rows).toEqual([]);
      }),
      { numRuns: 15, seed: 53 },
    );
  });
});

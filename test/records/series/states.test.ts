import { beforeAll, expect } from '@jest/globals';
import sql from 'sql-template-tag';
import { hourSeconds } from '#common/time.js';
import { fairQueueFor } from '#database/pool-queue.js';
import { VariableType } from '#entities/enums.js';
import { createStates } from '#records/postgres/search/states/states.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import type { StateLine, StatesCall } from '#records/record-index.js';
import { useWorld, type WorldRecord, worldNow } from '../../search/world.js';
import { itIf } from '../../support/conditional.js';
import { testRecordIndex } from '../../support/record-index.js';
import { setRollupRule } from '../../support/rollup-rule.js';

const start = worldNow / 1000 - 3 * 24 * hourSeconds;
const serials = ['a1', 'b1', 'c1'];
const noise = (seed: number) => Math.abs(Math.sin(seed * 12.9898) * 43758.5453) % 1;
const recordOf = (index: number): WorldRecord => {
  const ts = Math.round((start + noise(index) * 3 * 24 * hourSeconds) * 1e6) / 1e6;
  return {
    serial: serials[index % 3]!,
    ts,
    data: {
      ...(index % 7 === 0 ? {} : { on: noise(Math.floor(ts / 5000)) > 0.5 }),
      ...(index % 13 === 0 ? { on: [true, false] } : {}),
      level: Math.floor(ts / 9000) % 3,
      note: `step ${Math.floor(ts / 7000) % 4}`,
    },
  };
};
const first = Array.from({ length: 900 }, (_, index) => recordOf(index));
const late = Array.from({ length: 30 }, (_, index) => recordOf(5000 + index));

const variables = [
  { name: 'on', type: VariableType.BOOL },
  { name: 'level', type: VariableType.FLOAT32 },
  { name: 'note', type: VariableType.TXT },
];
const world = useWorld({
  products: { first: variables, second: variables.toReversed() },
  devices: [{ serial: 'a1', product: 'first' }, { serial: 'b1', product: 'second' }, { serial: 'c1' }],
  records: first,
});

const deviceIds: string[] = [];

beforeAll(async () => {
  // About half of the hours have no rollups by device.
  if (testRecordIndex() === 'postgres') await setRollupRule(world.pool, 4, 0);
  while ((await rollUp(world.pool, new Date(Date.now() + 24 * hourSeconds * 1000))) > 0);
  // Stores late data, which makes the rollups of its hours stale.
  await world.store(late);
  const { rows } = await world.pool.query<{ id: string }>(sql`select id from device order by serial`);
  deviceIds.push(...rows.map(({ id }) => id));
});

const ask = (rollups: boolean, call: Pick<StatesCall, 'from' | 'to' | 'points'>): Promise<StateLine[]> => {
  const { pool, organizationId } = world;
  const read = createStates({ pool, queue: fairQueueFor(pool), clock: () => worldNow, timeoutMs: 30_000, rollups });
  return read({ ...call, organizationId, deviceIds, variables: ['on', 'level', 'note'] });
};

itIf(testRecordIndex() === 'postgres', 'a cluster has no rollups')(
  'returns the same states from rollups as from records, also where rollups are stale',
  async () => {
    for (const [from, to, points] of [
      [start, start + 72 * hourSeconds, 73],
      [start + 1234, start + 70 * hourSeconds, 30],
      [start + 10 * hourSeconds, start + 60 * hourSeconds + 99, 3],
    ] as const) {
      const rolled = await ask(true, { from, to, points });
      expect(rolled).toEqual(await ask(false, { from, to, points }));
      expect(rolled.every(({ ts, interval }) => ts.length > 2 && interval % hourSeconds === 0)).toBe(true);
    }
  },
);

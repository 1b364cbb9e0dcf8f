import { beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { daySeconds, hourSeconds } from '#common/time.js';
import { fairQueueFor } from '#database/pool-queue.js';
import { VariableType } from '#entities/enums.js';
import { SeriesFunction } from '#entities/series.js';
import { createSeries } from '#records/postgres/search/series/series.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import type { Line, SeriesCall } from '#records/record-index.js';
import { intervalFor } from '#records/series-interval.js';
import { useWorld, type WorldRecord, worldNow } from '../../search/world.js';
import { itIf } from '../../support/conditional.js';
import { testRecordIndex, testsFrozen } from '../../support/record-index.js';
import { setRollupRule } from '../../support/rollup-rule.js';

const start = worldNow / 1000 - 3 * 24 * hourSeconds;
const serials = ['a1', 'a2', 'b1', 'c1'];
const noise = (seed: number) => Math.abs(Math.sin(seed * 12.9898) * 43758.5453) % 1;
const recordOf = (index: number): WorldRecord => ({
  serial: serials[index % 4]!,
  ts: Math.round((start + noise(index) * 3 * 24 * hourSeconds) * 1e6) / 1e6,
  data: {
    ...(index % 5 === 0 ? {} : { t: Math.round(noise(index + 0.5) * 1e4) / 8 }),
    ...(index % 2 === 0 ? { on: index % 4 === 0 } : {}),
    ...(index % 11 === 0 ? { t: 'broken' } : {}),
    ...(index % 13 === 0 ? { t: [1, 2] } : {}),
  },
});
const first = Array.from({ length: 900 }, (_, index) => recordOf(index));
const late = Array.from({ length: 30 }, (_, index) => recordOf(5000 + index));
const records = [...first, ...late];

const t = { name: 't', type: VariableType.FLOAT32, unit: 'K' };
const on = { name: 'on', type: VariableType.BOOL };
const note = { name: 'note', type: VariableType.TXT };
const world = useWorld({
  products: { first: [t, on, note], second: [on, t] },
  devices: [
    { serial: 'a1', product: 'first' },
    { serial: 'a2', product: 'first' },
    { serial: 'b1', product: 'second' },
    { serial: 'c1' },
  ],
  records: first,
});

const deviceIds: string[] = [];

beforeAll(async () => {
  if (hasRollups) await setRollupRule(world.pool, 0, 0);
  while ((await rollUp(world.pool, new Date(Date.now() + 24 * hourSeconds * 1000))) > 0);
  // Stores late data, which makes the rollups of its hours stale.
  await world.store(late);
  const { rows } = await world.pool.query<{ id: string }>(sql`select id from device order by serial`);
  deviceIds.push(...rows.map(({ id }) => id));
});

type SelectedFields = Omit<SeriesCall, 'organizationId' | 'deviceIds'>;

/** Whether series can also be read without rollups, for a comparison. */
const hasRollups = testRecordIndex() === 'postgres';

const ask = (rollups: boolean, call: SelectedFields): Promise<Line[]> => {
  const { pool, organizationId } = world;
  if (rollups || !hasRollups) return world.index!.series({ ...call, organizationId, deviceIds });
  const read = createSeries({ pool, queue: fairQueueFor(pool), clock: () => worldNow, timeoutMs: 30_000, rollups });
  return read({ ...call, organizationId, deviceIds });
};

type Reduce = (values: readonly number[]) => number;
const sum: Reduce = (values) => values.reduce((a, b) => a + b, 0);

/** The values of a variable in the stored records, ordered by time. */
const valuesOf = (serial: string, name: string, from: number, to: number): [ts: number, value: number][] =>
  records
    .filter((record) => record.serial === serial && record.ts >= from && record.ts <= to)
    .sort((a, b) => a.ts - b.ts)
    .flatMap(({ ts, data }) => {
      const value = data![name];
      return typeof value === 'number' || typeof value === 'boolean' ? [[ts, Number(value)] as [number, number]] : [];
    });

describe('series', () => {
  itIf(hasRollups && !testsFrozen(), 'its hours have no rollups')(
    'counts stale hours from the records and the others from rollups',
    async () => {
      const call: SelectedFields = {
        variables: ['t'],
        function: SeriesFunction.count,
        from: start,
        to: start + 72 * hourSeconds,
        points: 300,
        interval: hourSeconds,
      };
      const count = (lines: Line[]) => sum(lines.slice(0, 3).flatMap(({ values }) => values));
      const truth = count(await ask(false, call));
      const client = await world.pool.connect();
      try {
        await client.query(sql`create table kept as select * from record_rollup`);
        await client.query(sql`delete from record_rollup`);
        const left = count(await ask(true, call));
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThan(truth);
      } finally {
        await client.query(sql`insert into record_rollup select * from kept`);
        await client.query(sql`drop table kept`);
        client.release();
      }
      expect(count(await ask(true, call))).toBe(truth);
    },
  );

  it('returns measured points when the function is lttb', async () => {
    const call: SelectedFields = {
      variables: ['t'],
      function: SeriesFunction.lttb,
      from: start,
      to: start + 72 * hourSeconds,
      points: 20,
    };
    const lines = await ask(true, call);
    lines.forEach(({ ts, values, interval }, index) => {
      const all = valuesOf(serials[index]!, 't', call.from!, call.to!);
      const drawn = ts.map((each, place) => [each, values[place]]);
      expect(interval).toBeNull();
      expect(drawn).toHaveLength(20);
      expect([drawn[0], drawn.at(-1)]).toEqual([all[0], all.at(-1)]);
      for (const point of drawn) expect(all).toContainEqual(point);
    });
  });

  it('ends now and starts a day earlier by default', async () => {
    const lines = await ask(true, { variables: ['t'], function: SeriesFunction.count, points: 300 });
    const count = sum(lines[0]!.values);
    expect(count).toBe(valuesOf('a1', 't', worldNow / 1000 - 24 * hourSeconds, worldNow / 1000).length);
    expect(lines[0]).toMatchObject({ type: 'FLOAT32', unit: 'K', interval: 300 });
  });
});

describe('default bucket interval of a series', () => {
  it('has the shortest length that stays within the number of points', () => {
    expect(intervalFor({ from: 0, to: daySeconds }, 300)).toBe(300);
    expect(intervalFor({ from: 0, to: 30 * daySeconds }, 300)).toBe(3 * hourSeconds);
    expect(intervalFor({ from: 0, to: 365 * daySeconds }, 300)).toBe(2 * daySeconds);
    expect(intervalFor({ from: 0, to: 10 }, 300)).toBe(1);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { hourSeconds } from '#common/time.js';
import { fairQueueFor } from '#database/pool-queue.js';
import { VariableType } from '#entities/enums.js';
import { SeriesFunction } from '#entities/series.js';
import { createSeries } from '#records/postgres/search/series/series.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import type { Line, SeriesCall } from '#records/record-index.js';
import { intervalFor } from '#records/series-interval.js';
import { useWorld, type WorldRecord, worldNow } from '../../../search/world.js';
import { testRecordIndex } from '../../../support/record-index.js';
import { setRollupRule } from '../../../support/rollup-rule.js';

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
  // About half of the hours have no rollups by device.
  if (hasRollups) await setRollupRule(world.pool, 4, 0);
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
const reduce: Record<Exclude<SeriesFunction, SeriesFunction.lttb>, Reduce> = {
  avg: (values) => sum(values) / values.length,
  sum,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  count: (values) => values.length,
  first: (values) => values[0]!,
  last: (values) => values.at(-1)!,
};

/** The values of a variable in the stored records, ordered by time. */
const valuesOf = (serial: string, name: string, from: number, to: number): [ts: number, value: number][] =>
  records
    .filter((record) => record.serial === serial && record.ts >= from && record.ts <= to)
    .sort((a, b) => a.ts - b.ts)
    .flatMap(({ ts, data }) => {
      const value = data![name];
      return typeof value === 'number' || typeof value === 'boolean' ? [[ts, Number(value)] as [number, number]] : [];
    });

const expected = (call: SelectedFields, interval: number): Pick<Line, 'name' | 'ts' | 'values'>[] =>
  serials.flatMap((serial) =>
    call.variables.map((name) => {
      const buckets = Map.groupBy(
        valuesOf(serial, name, call.from!, call.to!),
        ([ts]) => Math.floor(ts / interval) * interval,
      );
      const ts = [...buckets.keys()].sort((a, b) => a - b);
      const values = ts.map((bucket) =>
        reduce[call.function as keyof typeof reduce](buckets.get(bucket)!.map(([, value]) => value)),
      );
      return { name, ts, values };
    }),
  );

const moment = fc.oneof(
  fc.integer({ min: -2, max: 74 }).map((hours) => start + hours * hourSeconds),
  fc.integer({ min: 0, max: 3 * 24 * hourSeconds * 1000 }).map((millis) => start + millis / 1000),
);
const drawing = fc
  .constantFrom(...(Object.keys(reduce) as (keyof typeof reduce)[]))
  .map((name) => SeriesFunction[name]);
const width = fc.oneof(
  fc
    .constantFrom(hourSeconds, 2 * hourSeconds, 6 * hourSeconds, 24 * hourSeconds, 600, 5400)
    .map((interval) => ({ interval, points: 300 })),
  fc.integer({ min: 3, max: 500 }).map((points) => ({ points })),
);

describe('series of random ranges and intervals', () => {
  it('returns the same values from rollups and from records, equal to those computed from the records', async () => {
    await fc.assert(
      fc.asyncProperty(drawing, width, moment, moment, async (name, how, a, b) => {
        const call: SelectedFields = {
          variables: ['t', 'on'],
          function: name,
          from: Math.min(a, b),
          to: Math.max(a, b),
          interval: null,
          ...how,
        };
        const [rolled, read] = [await ask(true, call), await ask(false, call)];
        const interval = call.interval ?? intervalFor({ from: call.from!, to: call.to! }, call.points);
        const truth = expected(call, interval);
        for (const lines of [rolled, read]) {
          expect(lines.map(({ ts }) => ts)).toEqual(truth.map(({ ts }) => ts));
          lines.forEach(({ values }, line) =>
            values.forEach((value, index) => expect(value).toBeCloseTo(truth[line]!.values[index]!, 6)),
          );
          for (const { ts } of lines) expect(ts.length).toBeLessThanOrEqual(how.points);
        }
      }),
      { numRuns: 60 },
    );
  });
});

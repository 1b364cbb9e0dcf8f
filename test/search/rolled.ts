import { expect } from '@jest/globals';
import type { Pool } from 'pg';
import { fairQueueFor } from '#database/pool-queue.js';
import { locate, type PlainJson } from '#json/json.js';
import { createSearch } from '#records/postgres/search/postgres-search.js';
import { purgeDevices } from '#records/postgres/upkeep/purge.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { summarize } from '#records/postgres/upkeep/summary.js';
import type { QueryAnswer } from '#records/record-index.js';
import { type World, worldNow } from './world.js';

/**
 * Sends one query to a world, with or without rollups and blocks. `now` is in milliseconds and defaults to the world's.
 * `digestBytes` lowers the limit on digests and sketches of one statement.
 */
export const askWith = async (
  { pool, organizationId, applicationId }: Pick<World, 'pool' | 'organizationId' | 'applicationId'>,
  { rollups, now = worldNow, ...limits }: { rollups: boolean; blocks?: boolean; now?: number; digestBytes?: number },
  query: PlainJson,
  range: PlainJson,
): Promise<QueryAnswer> => {
  const search = createSearch({
    pool,
    queue: fairQueueFor(pool),
    clock: () => now,
    timeoutMs: 30_000,
    rollups,
    ...limits,
  });
  const { responses } = await search.prepare(locate(range), locate([query]))({ organizationId, applicationId });
  return responses[0]!;
};

/** Returns the aggregations of a successful answer. */
export const aggregationsOf = (answer: QueryAnswer): unknown => {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return 'aggregations' in answer ? answer.aggregations : undefined;
};

/** Expects numbers to be equal within 10^-12 of the larger one, and everything else to be equal. */
export const expectClose = (got: unknown, wanted: unknown, path = 'aggregations'): void => {
  if (typeof got === 'number' && typeof wanted === 'number') {
    // A variance is a difference of sums, so its error is relative to the sums.
    const scale = /variance|deviation|upper|lower|population|sampling/.test(path) ? 1e8 : 0;
    const most = 1e-12 * Math.max(Math.abs(got), Math.abs(wanted), scale, /sum|avg|value/.test(path) ? 1e4 : 0);
    if (Math.abs(got - wanted) > most) throw new Error(`${path}: ${got} is not ${wanted}`);
  } else if (typeof got === 'object' && got !== null && typeof wanted === 'object' && wanted !== null) {
    expect(Object.keys(got)).toEqual(Object.keys(wanted));
    for (const [key, value] of Object.entries(got))
      expectClose(value, (wanted as Record<string, unknown>)[key], `${path}.${key}`);
  } else expect([path, got]).toEqual([path, wanted]);
};

/** A time at which every rollup is due. */
const later = new Date(Math.max(Date.now(), worldNow) + 10 * 24 * 3600e3);

/** Rolls up everything that is stale. */
export const rollUpAll = async (pool: Pool): Promise<void> => {
  while ((await rollUp(pool, later)) > 0);
  while ((await rollUpDays(pool, later)) > 0);
  while ((await summarize(pool, later)) > 0);
};

/** Deletes the records of deleted devices. */
export const purgeAll = async (pool: Pool): Promise<void> => {
  while (await purgeDevices(pool, later));
};

/** Returns a pseudo-random number from 0 to 1. */
export const noise = (seed: number): number => Math.abs(Math.sin(seed * 12.9898) * 43758.5453) % 1;

/**
 * Expects each percentile to have the right rank among a field's numbers, within 0.035 q (1 - q) of them and one
 * neighbour. `ask` runs aggregations over the records.
 */
export const expectRanked = async (
  ask: (aggs: { [key: string]: PlainJson }) => Promise<unknown>,
  field: string,
  percentiles: Readonly<Record<string, number | null>>,
): Promise<void> => {
  const found = Object.entries(percentiles).flatMap(([percent, value]) =>
    value === null ? [] : [{ q: Number(percent) / 100, value }],
  );
  const ranges = (side: 'lt' | 'lte', by: number) => ({
    filters: { filters: found.map(({ value }) => ({ range: { [field]: { [side]: value + by } } })) },
  });
  const {
    n: { value: count },
    ...ranks
  } = (await ask({
    n: { value_count: { field } },
    ...(found.length > 0 && { below: ranges('lt', -1e-6), upTo: ranges('lte', 1e-6) }),
  })) as { n: { value: number } } & Record<'below' | 'upTo', { buckets: { doc_count: number }[] }>;
  expect(found.length > 0).toBe(count > 0);
  for (const [index, { q }] of found.entries()) {
    const slack = 0.035 * q * (1 - q) * count + 1.5;
    expect(ranks.below.buckets[index]!.doc_count).toBeLessThanOrEqual(q * count + slack);
    expect(ranks.upTo.buckets[index]!.doc_count).toBeGreaterThanOrEqual(q * count - slack);
  }
};

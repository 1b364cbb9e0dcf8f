import { expect } from '@jest/globals';
import { fairQueueFor } from '../../src/database/pool-queue.js';
import { locate, type PlainJson } from '../../src/json.js';
import { createSearch } from '../../src/records/postgres/search/search.js';
import type { QueryAnswer } from '../../src/records/record-index.js';
import { type World, worldNow } from './world.js';

/** Asks one query of a world, with rollups or without. `now`: milliseconds, the world's unless told. */
export const askWith = async (
  { pool, organizationId, applicationId }: World,
  { rollups, now = worldNow }: { rollups: boolean; now?: number },
  query: PlainJson,
  range: PlainJson,
): Promise<QueryAnswer> => {
  const search = createSearch({ pool, queue: fairQueueFor(pool), clock: () => now, timeoutMs: 30_000, rollups });
  const { responses } = await search.prepare(locate(range), locate([query]))({ organizationId, applicationId });
  return responses[0]!;
};

/** The aggregations of a good answer. */
export const aggregationsOf = (answer: QueryAnswer): unknown => {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return 'aggregations' in answer ? answer.aggregations : undefined;
};

/** Numbers within a part in 10^12 of the larger, everything else the same. */
export const expectClose = (got: unknown, wanted: unknown, path = 'aggregations'): void => {
  if (typeof got === 'number' && typeof wanted === 'number') {
    // A variance is a difference of sums: its error is relative to them.
    const scale = /variance|deviation|upper|lower|population|sampling/.test(path) ? 1e8 : 0;
    const most = 1e-12 * Math.max(Math.abs(got), Math.abs(wanted), scale, /sum|avg|value/.test(path) ? 1e4 : 0);
    if (Math.abs(got - wanted) > most) throw new Error(`${path}: ${got} is not ${wanted}`);
  } else if (typeof got === 'object' && got !== null && typeof wanted === 'object' && wanted !== null) {
    expect(Object.keys(got)).toEqual(Object.keys(wanted));
    for (const [key, value] of Object.entries(got))
      expectClose(value, (wanted as Record<string, unknown>)[key], `${path}.${key}`);
  } else expect([path, got]).toEqual([path, wanted]);
};

import { beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { useService } from '../../support/service.js';
import { createTenant, type Tenant } from '../../support/tenant.js';
import { delayDuring } from '../delay.js';

interface Answer {
  took: number;
  responses: {
    status: number;
    timed_out: boolean;
    aggregations?: { minutes: { buckets: { total: { value: number } }[] } };
    error?: { type: string; reason: string; caused_by?: { type: string } };
  }[];
}

const timeout = 1000;
const service = useService({ config: { search: { ...readConfig({}).search, timeout } } });
let attacker: Tenant;
let path: string;
const start = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  attacker = await createTenant(service);
  const { owner, id } = attacker;
  const application = await owner.post<{ id: string }>(`/organizations/${id}/applications`, {
    name: 'Field',
    hasDashboard: false,
  });
  const device = await owner.post<{ id: string }>(`/organizations/${id}/devices/ab-01`, {});
  await owner.put(`/applications/${id}/${application.body.id}/devices/${device.body.id}`);
  await owner.post(`/organizations/${id}/records`, [{ serial: 'ab-01', ts: start / 1000, data: { n: 1 } }]);
  path = `/applications/${id}/${application.body.id}/search`;
});

/** Builds a query with the given number of empty buckets under these pipelines. */
const query = (buckets: number, pipelines: object) => ({
  products: [],
  size: 0,
  aggs: {
    minutes: {
      date_histogram: {
        field: 'ts',
        fixed_interval: '1m',
        extended_bounds: { min: start, max: start + (buckets - 1) * 60_000 },
      },
      aggs: pipelines,
    },
  },
});
const total = { cumulative_sum: { buckets_path: '_count' } };
const deviation = (window: number) => ({
  moving_fn: { buckets_path: '_count', window, script: 'MovingFunctions.stdDev(values)' },
});
/** The query would take at least ten times its timeout. */
const slow = { ...query(60_000, { deviation: deviation(160) }), timeout: '20ms' };
const range = { gte: start / 1000 - 86_400, lte: start / 1000 + 100 * 86_400 };
const ask = (queries: readonly object[]) => attacker.owner.post<Answer>(path, { ts: range, queries });

describe('pipeline aggregations over very many buckets', () => {
  it('returns an error when they would make too many results', async () => {
    const names = Array.from({ length: 190 }, (_, index) => `total${index}`);
    const pipelines = Object.fromEntries(names.map((name) => [name, total]));
    const before = process.memoryUsage().rss;
    const { longest } = await delayDuring(async () => {
      const { body } = await ask(Array.from({ length: 20 }, () => query(50_000, pipelines)));
      // On a slow machine some queries reach the deadline first.
      const refused = body.responses.filter(({ timed_out: late }) => !late);
      // Each query has too many results, and all of them together have too many bytes.
      for (const { error } of refused)
        expect(error?.reason).toMatch(/equal to: \[500000\]|one call may hold at most \[67108864\] bytes/);
    });
    expect(longest).toBeLessThan(500);
    expect(process.memoryUsage().rss - before).toBeLessThan(700 * 2 ** 20);
  }, 180_000);

  it('returns timed_out at the deadline without blocking the event loop', async () => {
    let answer: Answer | undefined;
    const { longest } = await delayDuring(async () => {
      ({ body: answer } = await ask([slow]));
    });
    expect(answer?.responses).toMatchObject([{ status: 200, timed_out: true }]);
    expect(longest).toBeLessThan(500);
  }, 180_000);

  it('returns results within the limits', async () => {
    const { body } = await ask([query(3000, { total, sorted: { bucket_sort: { from: 2990 } } })]);
    expect(body.responses[0]?.aggregations?.minutes.buckets).toHaveLength(10);
    expect(body.responses[0]?.aggregations?.minutes.buckets[0]?.total.value).toBe(1);
  });
});

describe('query with too many pipeline aggregations', () => {
  it('returns too_many_buckets_exception with the limit', async () => {
    const pipelines = Object.fromEntries(Array.from({ length: 190 }, (_, index) => [`total${index}`, total]));
    const { body } = await ask([query(3000, pipelines)]);
    expect(body.responses).toMatchObject([{ status: 503, error: { type: 'too_many_buckets_exception' } }]);
    expect(body.responses[0]?.error?.reason).toContain('[500000]');
  });
});

describe('moving function over very many buckets', () => {
  const reason = /^Windows of moving functions may look at \[10000000\] values in one query but would look at \[\d+\]/;
  const refusal = { status: 400, error: { type: 'illegal_argument_exception', reason: expect.stringMatching(reason) } };

  it('returns 400 when its windows cover too many values', async () => {
    const { body } = await ask([query(10_000, { deviation: deviation(10_000) })]);
    expect(body.responses).toMatchObject([refusal]);
  });

  it('returns 400 when several functions together cover too many values', async () => {
    const functions = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`d${index}`, deviation(3000)]));
    const { body } = await ask([query(3000, functions)]);
    expect(body.responses).toMatchObject([refusal]);
  });

  it('returns results when the windows cover fewer values', async () => {
    const { body } = await ask([query(3000, { deviation: deviation(3000) })]);
    expect(body.responses).toMatchObject([{ status: 200, timed_out: false }]);
  });
});

describe('call with a hundred slow queries', () => {
  it('returns timed_out for each query at the deadline of the call', async () => {
    const { body } = await ask(Array.from({ length: 100 }, () => slow));
    expect(body.responses).toHaveLength(100);
    for (const { timed_out: late } of body.responses) expect(late).toBe(true);
    // Four queries run at a time, so a hundred full runs would take 25 times as long as one.
    expect(body.took).toBeLessThan(10 * timeout);
  }, 180_000);
});

describe('regexp query', () => {
  it.each([
    ['with nested repetitions', '((a?){50}b?){50}'],
    ['with repeated intervals', '(<1-1000>){3}'],
  ])('returns too_complex_to_determinize_exception for an expression %s', async (_, expression) => {
    const { body } = await ask([{ products: [], query: { regexp: { 'device.serial': { value: expression } } } }]);
    expect(body.responses).toMatchObject([
      { status: 400, error: { caused_by: { type: 'too_complex_to_determinize_exception' } } },
    ]);
  });

  it('returns 200 for an interval with simple repetitions', async () => {
    const { body } = await ask([
      { products: [], query: { regexp: { 'device.serial': { value: '(ab){1,200}-?<1-1000>' } } } },
    ]);
    expect(body.responses).toMatchObject([{ status: 200 }]);
  });
});

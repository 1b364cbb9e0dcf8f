import { describe, expect, it } from '@jest/globals';
import { dayMs, weekMs } from '#common/time.js';
import { VariableType } from '#entities/enums.js';
import { locate, type PlainJson } from '#json/json.js';
import {
  asksProducts,
  pagesByTime,
  planOf,
  rolledScope,
  rollupQuestion,
  totalShown,
  wholeProducts,
  withoutProducts,
} from '#records/postgres/search/postgres-plan.js';
import type { Sources } from '#records/postgres/search/rollup/sources.js';
import { fieldsOf } from '#search/field/resolve.js';
import { parseRequest } from '#search/request.js';
import { Input } from '#search/syntax/input.js';

const now = Date.parse('2026-06-15T12:00:00Z');
const product = '01900000-0000-7000-8000-000000000001';
const otherProduct = '01900000-0000-7000-8000-000000000002';
const devices = [1, 2, 3].map((n) => `01900000-0000-7000-8000-00000000010${n}`);

const variable = { productId: product, name: 'temperature', type: VariableType.FLOAT32, slot: 1 };
const fields = fieldsOf({ declared: [variable], seen: [], attributes: [] }, [product]);

/** Plans a query over the last `days` days of one product. */
const plan = (query: { [key: string]: PlainJson }, days = 30) => {
  const from = now - days * dayMs;
  const body = { products: [product], ...query };
  return planOf(parseRequest(new Input(locate(body), 'queries.0')), {
    scope: {
      organizationId: '01900000-0000-7000-8000-000000000009',
      deviceIds: devices,
      productIds: [product],
      from: new Date(from).toISOString(),
      to: new Date(now).toISOString(),
    },
    range: {
      from: new Date(from).toISOString(),
      to: new Date(now).toISOString(),
      fromMillis: from,
      toMillis: now,
    },
    fields,
    now,
  });
};

const sources = (more: Partial<Sources> = {}): Sources => ({
  products: [product],
  whole: new Set([product]),
  stale: new Map(),
  staleDays: new Map(),
  staleBlocks: new Map(),
  ...more,
});

const average = { aggs: { a: { avg: { field: 'data.temperature' } } } };
const daily = {
  size: 0,
  aggs: { d: { date_histogram: { field: 'ts', fixed_interval: '1d' }, ...average } },
};
const lastWeek = { range: { ts: { gte: now - weekMs } } };

describe('search plan', () => {
  it("narrows the time span to the query's range, except for a global aggregation", () => {
    expect(plan({ query: lastWeek, ...average }).span.from).toBe(now - weekMs);
    expect(plan({ query: lastWeek, aggs: { g: { global: {} } } }).span.from).toBe(now - 30 * dayMs);
  });

  it("reads the records' time span first for an auto_date_histogram", () => {
    const automatic = plan({ aggs: { a: { auto_date_histogram: { field: 'ts' } } } });
    expect(automatic.timed.size).toBe(1);
    expect(plan(daily).timed.size).toBe(0);
  });

  it("reads the records' time span first when a histogram in a time zone would have thousands of buckets", () => {
    const minutes = (days: number) =>
      plan(
        { aggs: { m: { date_histogram: { field: 'ts', fixed_interval: '1m', time_zone: 'Europe/Berlin' } } } },
        days,
      );
    expect([minutes(30).narrows, minutes(1).narrows]).toEqual([true, false]);
  });

  it('uses rollups for a daily average, and not with value filters, deviations or automatic intervals', () => {
    const question = (query: { [key: string]: PlainJson }) => rollupQuestion(plan(query), plan(query).span, {});
    expect(question(daily)).toBeDefined();
    expect(question({ ...daily, query: { range: { 'data.temperature': { gt: 20 } } } })).toBeUndefined();
    expect(question({ aggs: { p: { median_absolute_deviation: { field: 'data.temperature' } } } })).toBeUndefined();
    expect(question({ aggs: { a: { auto_date_histogram: { field: 'ts' } } } })).toBeUndefined();
  });

  it('uses digests for percentiles up to compression 100, unless HDR is requested or buckets are sorted by them', () => {
    const question = (query: { [key: string]: PlainJson }) => rollupQuestion(plan(query), plan(query).span, {});
    const percentiles = (more: { [key: string]: PlainJson } = {}) => ({
      p: { percentiles: { field: 'data.temperature', ...more } },
    });
    const terms = (order: PlainJson) => ({ t: { terms: { field: 'device.id', order }, aggs: percentiles() } });
    expect(question({ aggs: percentiles() })?.candidate.digests).toBe(true);
    expect(question({ aggs: percentiles({ tdigest: { compression: 100 } }) })).toBeDefined();
    expect(question({ aggs: percentiles({ tdigest: { compression: 101 } }) })).toBeUndefined();
    expect(question({ aggs: percentiles({ hdr: {} }) })).toBeUndefined();
    expect(question({ aggs: terms({ _count: 'asc' }) })).toBeDefined();
    expect(question({ aggs: terms({ 'p.50': 'asc' }) })).toBeUndefined();
    expect(
      question({ aggs: { h: { date_histogram: { field: 'ts', fixed_interval: '1h' }, aggs: percentiles() } } }),
    ).toBeUndefined();
  });

  it('uses digests for 100 devices with a month each, and not for 1,000', () => {
    const one = plan({
      aggs: { t: { terms: { field: 'device.id' }, aggs: { p: { percentiles: { field: 'data.temperature' } } } } },
    });
    const rolled = (count: number) => {
      const deviceIds = Array.from(
        { length: count },
        (_, index) => `01900000-0000-7000-8000-${`${index}`.padStart(12, '0')}`,
      );
      const many = { ...one, scope: { ...one.scope, deviceIds } };
      return rolledScope(many, rollupQuestion(many, many.span, {})!, sources(), {
        stale: [],
        days: new Map([[product, 29]]),
      });
    };
    expect(rolled(100)?.rollup?.digests).toBe(true);
    expect(rolled(1000)).toBeUndefined();
  });

  it('limits the rollup question to the devices that the query names', () => {
    const named = plan({ ...daily, query: { term: { 'device.id': devices[0]! } } });
    expect(rollupQuestion(named, named.span, {})?.deviceIds).toEqual([devices[0]]);
    expect(rollupQuestion(plan(daily), plan(daily).span, {})?.deviceIds).toBeUndefined();
  });

  it('reads rollups by product or by device, and none when a product does not declare the variable', () => {
    const one = plan(daily);
    const question = rollupQuestion(one, one.span, {})!;
    expect(rolledScope(one, question, sources())?.rollup).toMatchObject({ whole: [product], apart: [], slots: [1] });
    const apart = sources({ whole: new Set() });
    expect(rolledScope(one, question, apart)?.rollup).toMatchObject({ whole: [], apart: [product] });
    const all = { ...one, scope: { ...one.scope, productIds: [] } };
    const everywhere = sources({ products: [product, otherProduct] });
    expect(rolledScope(all, rollupQuestion(all, all.span, {})!, everywhere)).toBeUndefined();
  });

  it('reads stale hours from the records, and everything when too many hours are stale', () => {
    const one = plan(daily);
    const question = rollupQuestion(one, one.span, {})!;
    const hour = Math.floor((now - 2 * dayMs) / 3_600_000) * 3600;
    const stale = (hours: number[]) => rolledScope(one, question, sources({ stale: new Map([[product, hours]]) }));
    expect(stale([hour])?.rollup?.stale).toEqual([{ productId: product, start: hour * 1000 }]);
    expect(stale(Array.from({ length: 600 }, (_, index) => hour - index * 3600))).toBeUndefined();
  });

  it('leaves out a product filter that the devices imply, when the search covers more than a few days', () => {
    const long = plan({ size: 0, aggs: { t: { terms: { field: 'data.temperature' } } } });
    const short = plan({ size: 0, aggs: { t: { terms: { field: 'data.temperature' } } } }, 3);
    expect([asksProducts(long, long.span), asksProducts(short, short.span)]).toEqual([true, false]);
    expect(withoutProducts(long.scope, sources()).productIds).toEqual([]);
    expect(withoutProducts(long.scope, sources({ products: [product, otherProduct] })).productIds).toEqual([product]);
  });

  it('reads a page sorted by time product by product when the application holds whole products', () => {
    const byTime = plan({ sort: [{ ts: 'desc' }] });
    expect([pagesByTime(byTime), pagesByTime(plan({ sort: ['data.temperature'] }))]).toEqual([true, false]);
    expect(wholeProducts(byTime.scope, sources())).toEqual([product]);
    expect(wholeProducts(byTime.scope, sources({ whole: new Set() }))).toBeUndefined();
  });

  it('skips counting when a page that is not full shows the total', () => {
    expect([totalShown(plan({ size: 10 }), 4), totalShown(plan({ size: 10 }), 10)]).toEqual([4, undefined]);
    expect(totalShown(plan({ size: 10, from: 20 }), 0)).toBeUndefined();
    const later = plan({ sort: [{ ts: 'desc' }], search_after: [now / 1000] });
    expect(totalShown(later, 4)).toBeUndefined();
    expect(later.pageSpan.to).toBeLessThanOrEqual(now + 1);
  });
});

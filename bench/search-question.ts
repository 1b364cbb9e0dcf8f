import sql, { type Sql } from 'sql-template-tag';
import { dayMs, weekMs } from '#common/time.js';
import type { SearchWorld } from './search-world.js';

/** One question in three forms: our search, the best SQL for exactly this question, and the engine's. */
export interface Question {
  name: string;
  query: { products?: string[]; [key: string]: unknown };
  byHand: Sql;
  /** SQL over the hourly rollups, if they can answer the question. */
  byRollup?: Sql;
}

/** Returns the questions about a world. */
export const questionsOf = ({ devices, fleet, until }: SearchWorld): Question[] => {
  const ids = devices.map(({ id }) => id);
  const moment = (before: number) => new Date(until - before).toISOString();
  const one = ids[7]!;
  const productId = devices[7]!.productId;
  const ofAll = sql`device_id = any(${ids}::uuid[])`;
  const within = (before: number) => ({ range: { ts: { gte: moment(before) } } });
  const hourly = {
    h: { date_histogram: { field: 'ts', fixed_interval: '1h' }, aggs: { m: { avg: { field: 'data.temperature' } } } },
  };
  const counting = { size: 0, track_total_hits: false };
  return [
    {
      name: 'latest: 10 of an application',
      query: { size: 10, sort: [{ ts: 'desc' }], track_total_hits: false },
      // Queries each product separately, because the newest records of an organization are at the end of each product's
      // index.
      byHand: sql`select r.* from unnest(${fleet.productIds}::uuid[]) p, lateral (select * from record
        where organization_id = (select organization_id from product where id = p) and product_id = p and ts >= ${moment(dayMs)}::timestamptz order by ts desc limit 10) r
        order by ts desc limit 10`,
    },
    {
      name: 'device: one, a day, raw',
      query: {
        size: 1000,
        sort: [{ ts: 'desc' }],
        track_total_hits: false,
        query: { bool: { filter: [{ term: { 'device.id': one } }, within(dayMs)] } },
      },
      byHand: sql`select id, ts, device_id, product_id, metadata, data from record where device_id = ${one}::uuid and ts >= ${moment(dayMs)}::timestamptz order by ts desc limit 1000`,
    },
    {
      name: 'product: one, a week, hourly average',
      query: { ...counting, products: [productId], query: within(weekMs), aggs: hourly },
      byHand: sql`select date_bin('1 hour', ts, 'epoch'), count(*), avg(numbers[1]) from record
        where product_id = ${productId}::uuid and organization_id = (select organization_id from product where id = ${productId}) and ts >= ${moment(weekMs)}::timestamptz group by 1`,
      byRollup: sql`select hour, sum(n) filter (where slot = 0), sum(sum) filter (where slot = 1) / sum(n) filter (where slot = 1) from record_rollup
        where product_id = ${productId}::uuid and organization_id = (select organization_id from product where id = ${productId}) and slot in (0, 1) and hour >= ${moment(weekMs)}::timestamptz group by 1`,
    },
    {
      name: 'daily: count, whole range',
      query: { ...counting, aggs: { d: { date_histogram: { field: 'ts', calendar_interval: 'day' } } } },
      byHand: sql`select date_bin('1 day', ts, 'epoch'), count(*) from record where ${ofAll} group by 1`,
      byRollup: sql`select date_bin('1 day', hour, 'epoch'), sum(n) from record_rollup where slot = 0 and ${ofAll} group by 1`,
    },
    {
      name: 'devices: terms with stats, whole range',
      query: {
        ...counting,
        products: fleet.productIds,
        aggs: { s: { terms: { field: 'device.id' }, aggs: { t: { stats: { field: 'data.temperature' } } } } },
      },
      byHand: sql`select device_id, count(*), count(numbers[1]), sum(numbers[1]), min(numbers[1]), max(numbers[1]) from record where ${ofAll} group by 1 order by 2 desc limit 10`,
      byRollup: sql`select device_id, sum(n) filter (where slot = 0), sum(n) filter (where slot = 1), sum(sum) filter (where slot = 1), min(min) filter (where slot = 1), max(max) filter (where slot = 1)
        from record_rollup where slot in (0, 1) and ${ofAll} group by 1 order by 2 desc limit 10`,
    },
    {
      name: 'status: terms with stats, whole range',
      query: {
        ...counting,
        products: fleet.productIds,
        aggs: { s: { terms: { field: 'data.status' }, aggs: { t: { stats: { field: 'data.temperature' } } } } },
      },
      byHand: sql`select texts[1], count(*), count(numbers[1]), sum(numbers[1]), min(numbers[1]), max(numbers[1]) from record where ${ofAll} group by 1`,
    },
    {
      name: 'percentiles: whole range',
      query: {
        ...counting,
        products: fleet.productIds,
        aggs: { p: { percentiles: { field: 'data.temperature' } } },
      },
      byHand: sql`select percentile_cont('{0.01,0.05,0.25,0.5,0.75,0.95,0.99}'::float8[]) within group (order by numbers[1]) from record where ${ofAll}`,
    },
    {
      name: 'cardinality: whole range',
      query: {
        ...counting,
        products: fleet.productIds,
        aggs: { c: { cardinality: { field: 'data.temperature' } } },
      },
      byHand: sql`select count(distinct numbers[1]) from record where ${ofAll}`,
    },
    {
      name: 'composite: a page, whole range',
      query: {
        ...counting,
        products: fleet.productIds,
        aggs: {
          c: {
            composite: {
              size: 100,
              sources: [{ d: { terms: { field: 'device.id' } } }, { s: { terms: { field: 'data.status' } } }],
              after: { d: ids[80], s: 'error' },
            },
          },
        },
      },
      byHand: sql`select device_id, texts[1], count(*) from record where device_id = any(${ids.slice(80, 140)}::uuid[]) and (device_id, texts[1]) > (${ids[80]}::uuid, 'error') group by 1, 2 order by 1, 2 limit 100`,
    },
  ];
};

/** Returns a panel of a dashboard: the last day of one device, by hour. */
export const panelOf = ({ devices, until }: SearchWorld, index: number): object => ({
  size: 0,
  query: {
    bool: {
      filter: [
        { term: { 'device.id': devices[index % devices.length]!.id } },
        { range: { ts: { gte: new Date(until - dayMs).toISOString() } } },
      ],
    },
  },
  aggs: {
    h: { date_histogram: { field: 'ts', fixed_interval: '1h' }, aggs: { m: { avg: { field: 'data.temperature' } } } },
  },
});

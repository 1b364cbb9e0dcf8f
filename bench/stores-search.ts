import { dayMs, hourMs, secondMs, weekMs } from '#common/time.js';
import type { BenchFleet } from './fleet.js';
import type { Stage } from './stage.js';
import { minutesOfDay, type StoresData } from './stores-data.js';
import type { Answer, Askers } from './stores-question.js';
import type { Call } from './stores-rival.js';

interface Bucket {
  readonly key: number | string;
  readonly doc_count: number;
  readonly t?: { readonly value: number; readonly min: number; readonly max: number; readonly avg: number };
}

const field = 'data.temperature';

/** Returns functions that search the records from a time to before another one, in milliseconds. */
const searcherOf = (call: Call, path: string, { productIds }: BenchFleet) => {
  const search = async <Found>(from: number, to: number, query: object): Promise<Found> => {
    // Both ends of the range are included. A microsecond before the end, the last hour is a whole one.
    const ts = { gte: from / secondMs, lte: to / secondMs - 1e-6 };
    const body = JSON.stringify({ ts, queries: [{ products: productIds, track_total_hits: false, ...query }] });
    const text = await call('POST', `${path}/search`, body);
    const [response] = (JSON.parse(text) as { responses: (Found & { status: number; timed_out: boolean })[] })
      .responses;
    if (response?.status !== 200 || response.timed_out) throw new Error(text.slice(0, 500));
    return response;
  };
  return {
    search,
    async bucketsOf(from: number, to: number, grouped: object, metric: object): Promise<readonly Bucket[]> {
      const query = { size: 0, aggs: { g: { ...grouped, aggs: { t: metric } } } };
      return (await search<{ aggregations: { g: { buckets: Bucket[] } } }>(from, to, query)).aggregations.g.buckets;
    },
  };
};

/** Questions over the API of the service. Devices have serials in the answers, as in the other stores. */
export const askersOf = async (
  { pool, organizationId }: Stage,
  call: Call,
  fleet: BenchFleet,
  { begun, days, devices }: StoresData,
): Promise<Askers> => {
  const { rows } = await pool.query<{ id: string; serial: string }>('select id, serial from device');
  const serials = new Map(rows.map(({ id, serial }) => [id, serial]));
  const device = rows.find(({ serial }) => serial === devices[0])!.id;
  const end = begun + days * dayMs;
  const path = `/ddp/v1/applications/${organizationId}/${fleet.applicationId}`;
  const { search, bucketsOf } = searcherOf(call, path, fleet);
  const byTime = async (from: number, interval: number, metric: object): Promise<Answer> => {
    const grouped = { date_histogram: { field: 'ts', fixed_interval: `${interval / hourMs}h` } };
    return new Map((await bucketsOf(from, end, grouped, metric)).map(({ key, t }) => [`${key}`, t!.value]));
  };
  return {
    hourly: () => byTime(Math.max(begun, end - weekMs), hourMs, { avg: { field } }),
    async newest() {
      const text = await call('GET', `${path}/latest?limit=100`);
      const items = JSON.parse(text) as { serial: string; values: { name: string; value: number }[] }[];
      return new Map(
        items.flatMap(({ serial, values }) => values.map(({ name, value }) => [`${serial} ${name}`, value])),
      );
    },
    async devices() {
      const buckets = await bucketsOf(begun, end, { terms: { field: 'device.id', size: 1000 } }, { stats: { field } });
      return new Map(
        buckets.flatMap(({ key, t }) =>
          (['min', 'max', 'avg'] as const).map((name) => [`${serials.get(`${key}`)} ${name}`, t![name]]),
        ),
      );
    },
    daily: () => byTime(begun, dayMs, { value_count: { field } }),
    async raw() {
      const { hits } = await search<{ hits: { hits: { _source: { ts: number; data: { temperature: number } } }[] } }>(
        begun,
        begun + dayMs,
        {
          size: minutesOfDay,
          sort: [{ ts: 'asc' }],
          _source: ['ts', field],
          query: { term: { 'device.id': device } },
        },
      );
      return new Map(hits.hits.map(({ _source: { ts, data } }) => [`${ts * secondMs}`, data.temperature]));
    },
  };
};

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { hourSeconds } from '#common/time.js';
import { newId } from '#entities/id.js';
import { SeriesFunction } from '#entities/series.js';
import { locate, type PlainJson } from '#json/json.js';
import { parsePlain } from '#json/plain.js';
import { readNative } from '#records/record-body.js';
import type { ListedRecordPage, QueryAnswer, RecordListRequest } from '#records/record-index.js';
import { worldNow } from '../../search/world.js';
import type { Open, Opened } from './record-store.js';

const noon = worldNow / 1000;

const always = { gte: noon - 30 * 24 * hourSeconds, lte: noon };

/**
 * The contract of every record index. The world has the linked devices `a` and `b` and the unlinked `c`, all of one
 * product.
 */
export const describeRecordIndex = (name: string, open: Open): void => {
  describe(`record index in ${name}`, () => {
    let opened: Opened;
    /** Identifiers of the records, in the order in which they were stored. */
    let ids: string[];
    beforeAll(async () => {
      opened = await open();
      const records = [
        { serial: 'a', ts: noon - 3 * hourSeconds, data: { t: 10, state: 'ok' } },
        { serial: 'a', ts: noon - 2 * hourSeconds, data: { t: 20, state: 'ok' } },
        { serial: 'b', ts: noon - hourSeconds, data: { t: 30, state: 'alarm' } },
        { serial: 'c', ts: noon - hourSeconds, data: { t: 99, state: 'alarm' } },
      ];
      const { results } = await opened.log.append({
        organizationId: opened.world.organizationId,
        items: readNative(parsePlain(JSON.stringify(records))),
        verbose: true,
      });
      ids = results.map((result) => ('recordId' in result ? result.recordId : ''));
    });
    afterAll(() => opened.close());

    const search = async (...queries: PlainJson[]): Promise<QueryAnswer[]> => {
      const all = queries.map((query) => ({ products: [], ...(query as object) }));
      const ask = opened.index.prepare(locate(always), locate(all as PlainJson));
      return (await ask(callOf())).responses;
    };
    const callOf = () => {
      const { organizationId, applicationId } = opened.world;
      return { organizationId, applicationId };
    };
    const readSeries = (call: { variables: string[]; function: SeriesFunction }) =>
      opened.index.series({
        organizationId: opened.world.organizationId,
        deviceIds: [opened.devices['b']!, opened.devices['a']!],
        points: 10,
        interval: 24 * hourSeconds,
        from: noon - 24 * hourSeconds,
        to: noon,
        ...call,
      });

    it('returns the matching records of linked devices in the requested sort order', async () => {
      const [answer] = await search({ query: { range: { 'data.t': { gte: 20 } } }, sort: [{ ts: 'asc' }] });
      expect(answer).toMatchObject({
        status: 200,
        hits: {
          total: { value: 2, relation: 'eq' },
          hits: [{ _source: { data: { t: 20 } } }, { _source: { data: { t: 30 } } }],
        },
      });
    });

    it('returns the next page for the sort values of a hit', async () => {
      const query = { size: 1, sort: [{ 'data.t': 'desc' }] };
      const [first] = await search(query);
      const after = (first as { hits: { hits: { sort: number[] }[] } }).hits.hits[0]!.sort;
      const [second] = await search({ ...query, search_after: after });
      expect(second).toMatchObject({ hits: { hits: [{ _source: { data: { t: 20 } } }] } });
    });

    it('returns terms buckets with a metric sub-aggregation', async () => {
      const aggs = { states: { terms: { field: 'data.state' }, aggs: { mean: { avg: { field: 'data.t' } } } } };
      const [answer] = await search({ size: 0, aggs });
      expect(answer).toMatchObject({
        aggregations: {
          states: {
            buckets: [
              { key: 'ok', doc_count: 2, mean: { value: 15 } },
              { key: 'alarm', doc_count: 1, mean: { value: 30 } },
            ],
          },
        },
      });
    });

    it('returns 400 for an invalid query of a batch and answers the other queries', async () => {
      const answers = await search({ query: { nothing: {} } }, { query: { match_all: {} } });
      expect(answers.map(({ status }) => status)).toEqual([400, 200]);
    });

    it('throws VALIDATION_FAILED when the range of a batch is invalid', () => {
      expect(() => opened.index.prepare(locate({ gte: 'yesterday' }), locate([]))).toThrow(
        expect.objectContaining({ code: 'VALIDATION_FAILED' }),
      );
    });

    it('matches regular expressions with the syntax of Lucene', async () => {
      const [some, none] = await search(
        { query: { regexp: { 'data.state': 'al<0-9>?.*&~(ok)' } } },
        { query: { regexp: { 'data.state': '^ok$' } } },
      );
      expect(some).toMatchObject({ hits: { total: { value: 1 } } });
      expect(none).toMatchObject({ hits: { total: { value: 0 } } });
    });

    it('lists the searchable fields with their types', async () => {
      expect(await opened.index.fields(callOf())).toEqual(
        expect.arrayContaining([
          { path: 'ts', type: 'date' },
          { path: 'data.t', type: 'double' },
          { path: 'data.state', type: 'keyword' },
          { path: 'device.location', type: 'geo_point' },
        ]),
      );
    });

    it('throws VALIDATION_FAILED for a query value that does not fit the type of its field', async () => {
      const { organizationId, applicationId } = opened.world;
      const application = { organizationId, applicationId };
      await opened.index.check(application, { term: { 'data.t': 1 } });
      await expect(opened.index.check(application, { term: { 'data.t': 'warm' } })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      });
    });

    it('returns one series per device and variable, in the order of the request', async () => {
      const lines = await readSeries({ variables: ['t', 'missing'], function: SeriesFunction.max });
      expect(lines.map(({ deviceId, name: variable, values }) => [deviceId, variable, values.at(-1)])).toEqual([
        [opened.devices['b'], 't', 30],
        [opened.devices['b'], 'missing', undefined],
        [opened.devices['a'], 't', 20],
        [opened.devices['a'], 'missing', undefined],
      ]);
    });

    it('returns states with their seconds, until the next record and at most 2.1 usual intervals', async () => {
      const lines = await opened.index.states({
        organizationId: opened.world.organizationId,
        deviceIds: [opened.devices['b']!, opened.devices['a']!],
        variables: ['state', 't', 'missing'],
        points: 100,
        interval: hourSeconds / 2,
        from: noon - 24 * hourSeconds,
        to: noon - 0.5 * hourSeconds,
      });
      expect(
        lines.map(({ ts, seconds, values }) => ts.map((at, i) => [(at - noon) / hourSeconds, seconds[i], values[i]])),
      ).toEqual([
        [[-1, 0.5 * hourSeconds, 'alarm']],
        [[-1, 0.5 * hourSeconds, '30']],
        [],
        [[-3, 2.5 * hourSeconds, 'ok']],
        [
          [-3, hourSeconds, '10'],
          [-2, 1.5 * hourSeconds, '20'],
        ],
        [],
      ]);
    });

    /** Returns the call context of a member of the organization, or of another organization. */
    const reading = (organizationId = opened.world.organizationId, signal = new AbortController().signal) => ({
      caller: { organizationId },
      signal,
      weighRows: () => undefined,
      timeLeft: () => undefined,
    });
    const listed = async (request: Partial<RecordListRequest>, call = reading()) => {
      const { applicationId } = opened.world;
      const usual = { order: 'newestFirst', limit: 10, page: 1, timeoutMs: 30_000 } as const;
      return opened.index.list(call, { parent: 'application', parentIds: [applicationId], ...usual, ...request });
    };
    const valuesOf = (pages: readonly ListedRecordPage[]) =>
      pages.map(({ records }) => records.map(({ data }) => data['t']));

    it("finds records by identifier only in the caller's own organization", async () => {
      const found = await opened.index.find(reading(), [ids[3]!, ids[0]!, opened.world.applicationId]);
      expect(found.map(({ id }) => id).sort()).toEqual([ids[0], ids[3]].sort());
      expect(found.find(({ id }) => id === ids[0])).toMatchObject({
        ts: noon - 3 * hourSeconds,
        data: { t: 10, state: 'ok' },
        metadata: {},
        frame: null,
        deviceId: opened.devices['a'],
        productId: opened.world.productIds['probe'],
      });
      expect(await opened.index.find(reading(opened.world.applicationId), ids)).toEqual([]);
    });

    it('lists the records of given devices, and of the devices linked to an application, by time', async () => {
      const parentIds = ['c', 'b', 'a'].map((serial) => opened.devices[serial]!);
      expect(valuesOf(await listed({ parent: 'device', parentIds }))).toEqual([[99], [30], [20, 10]]);
      expect(valuesOf(await listed({}))).toEqual([[30, 20, 10]]);
      expect(valuesOf(await listed({ order: 'oldestFirst' }))).toEqual([[10, 20, 30]]);
    });

    it('includes both ends of a time range when it lists records', async () => {
      expect(valuesOf(await listed({ from: noon - 3 * hourSeconds, to: noon - 2 * hourSeconds }))).toEqual([[20, 10]]);
    });

    it('pages through a list by page number and by cursor, and says whether more records follow', async () => {
      const [first] = await listed({ limit: 2 });
      expect(first).toMatchObject({ records: [{ data: { t: 30 } }, { data: { t: 20 } }], hasMore: true });
      const after = first!.records.at(-1)!.cursorKeys;
      const last = [{ records: [{ data: { t: 10 } }], hasMore: false }];
      expect(await listed({ limit: 2, after })).toMatchObject(last);
      expect(await listed({ limit: 2, page: 2 })).toMatchObject(last);
      expect(valuesOf(await listed({ after, order: 'oldestFirst' }))).toEqual([[30]]);
    });

    it('orders records with the same timestamp by the order in which they were stored', async () => {
      const parentIds = [opened.devices['b']!, opened.devices['c']!];
      const [[b], [c]] = (await listed({ parent: 'device', parentIds })).map(({ records }) =>
        records.map(({ cursorKeys }) => cursorKeys),
      ) as [[string, string][], [string, string][]];
      expect(b![0]).toBe(c![0]);
      expect(BigInt(b![1]!)).toBeLessThan(BigInt(c![1]!));
    });

    it('returns a total only when the caller asks for it and it is at most the given limit', async () => {
      expect((await listed({}))[0]).not.toHaveProperty('total');
      expect(await listed({ countUpTo: 3, limit: 1 })).toMatchObject([{ total: 3 }]);
      expect(await listed({ countUpTo: 2 })).toMatchObject([{ total: null }]);
      const parentIds = [opened.devices['a']!, opened.world.applicationId];
      expect(await listed({ parent: 'device', parentIds, countUpTo: 9 })).toMatchObject([{ total: 2 }, { total: 0 }]);
    });

    it('throws without reading a list when the caller has already gone away', async () => {
      const call = reading(opened.world.organizationId, AbortSignal.abort());
      await expect(listed({}, call)).rejects.toThrow('abort');
    });

    it("returns the time of each device's newest record", async () => {
      const { a, c } = opened.devices;
      const times = await opened.index.newestTimes(reading(), [a!, c!, opened.world.applicationId], 10_000);
      expect(Object.fromEntries([...times].map(([id, ts]) => [id, Date.parse(ts) / 1000]))).toEqual({
        [a!]: noon - 2 * hourSeconds,
        [c!]: noon - hourSeconds,
      });
    });

    it('finds the devices without a record since a given time, in the order of the request', async () => {
      const { a, b, c } = opened.devices;
      const silent = (since: number, ids = [c!, b!, a!, opened.world.applicationId]) =>
        opened.index.silentDevices(reading(), ids, since, 10_000);
      expect(await silent(noon - 2 * hourSeconds)).toEqual([opened.world.applicationId]);
      expect(await silent(noon - 2 * hourSeconds + 0.001)).toEqual([a, opened.world.applicationId]);
      expect(await silent(noon - hourSeconds + 0.001)).toEqual([c, b, a, opened.world.applicationId]);
      expect(await silent(0)).toEqual([opened.world.applicationId]);
      expect(await silent(0, [])).toEqual([]);
      const chosen = sql`select d.id from device d where d.id = any(${[a, b]}::uuid[])`;
      expect(await opened.index.silentDevices(reading(), chosen, noon - 90 * 60, 10_000)).toEqual([a]);
    });

    it('finds the silent devices among thousands', async () => {
      const { a, b, c } = opened.devices;
      const others = Array.from({ length: 3000 }, () => newId());
      const ids = [a!, ...others.slice(0, 1000), b!, ...others.slice(1000), c!];
      expect(await opened.index.silentDevices(reading(), ids, noon - 90 * 60, 10_000)).toEqual([a, ...others]);
    });

    it('throws without a search for silent devices when the caller has already gone away', async () => {
      const call = reading(opened.world.organizationId, AbortSignal.abort());
      await expect(opened.index.silentDevices(call, [opened.devices['a']!], 0, 10_000)).rejects.toThrow('abort');
    });

    it('returns the newest value of each variable of devices, and reports the bytes read', async () => {
      let read = 0;
      const found = await opened.index.latest([opened.devices['a']!, opened.devices['b']!], (bytes) => (read += bytes));
      expect(found.get(opened.devices['a']!)).toEqual(
        expect.arrayContaining([expect.objectContaining({ name: 't', ts: noon - 2 * hourSeconds, value: 20 })]),
      );
      expect(read).toBeGreaterThan(0);
    });
  });
};

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SeriesFunction } from '../../../src/entities/series.js';
import { locate, type PlainJson } from '../../../src/json.js';
import { parsePlain } from '../../../src/json-plain.js';
import { readNative } from '../../../src/records/native.js';
import type { QueryAnswer } from '../../../src/records/record-index.js';
import { worldNow } from '../../search/world.js';
import type { Open, Opened } from './record-store.js';

const noon = worldNow / 1000;
const hour = 3600;
const always = { gte: noon - 30 * 24 * hour, lte: noon };

/** What every index of records promises. The world has the linked devices `a` and `b` and the unlinked `c`, all of one product. */
export const describeRecordIndex = (name: string, open: Open): void => {
  describe(`the index of records in ${name}`, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
      const records = [
        { serial: 'a', ts: noon - 3 * hour, data: { t: 10, state: 'ok' } },
        { serial: 'a', ts: noon - 2 * hour, data: { t: 20, state: 'ok' } },
        { serial: 'b', ts: noon - hour, data: { t: 30, state: 'alarm' } },
        { serial: 'c', ts: noon - hour, data: { t: 99, state: 'alarm' } },
      ];
      await opened.log.append({
        organizationId: opened.world.organizationId,
        items: readNative(parsePlain(JSON.stringify(records))),
        answer: (results) => results as unknown as PlainJson,
      });
      await opened.settled();
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
        interval: 24 * hour,
        from: noon - 24 * hour,
        to: noon,
        ...call,
      });

    it('finds records of linked devices in the order that is asked for', async () => {
      const [answer] = await search({ query: { range: { 'data.t': { gte: 20 } } }, sort: [{ ts: 'asc' }] });
      expect(answer).toMatchObject({
        status: 200,
        hits: {
          total: { value: 2, relation: 'eq' },
          hits: [{ _source: { data: { t: 20 } } }, { _source: { data: { t: 30 } } }],
        },
      });
    });

    it('pages on from the sort values of a hit', async () => {
      const query = { size: 1, sort: [{ 'data.t': 'desc' }] };
      const [first] = await search(query);
      const after = (first as { hits: { hits: { sort: number[] }[] } }).hits.hits[0]!.sort;
      const [second] = await search({ ...query, search_after: after });
      expect(second).toMatchObject({ hits: { hits: [{ _source: { data: { t: 20 } } }] } });
    });

    it('counts records by the values of a field, with metrics inside', async () => {
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

    it('answers a query that is wrong in its place, and the others', async () => {
      const answers = await search({ query: { nothing: {} } }, { query: { match_all: {} } });
      expect(answers.map(({ status }) => status)).toEqual([400, 200]);
    });

    it('refuses a call that is wrong as a whole', () => {
      expect(() => opened.index.prepare(locate({ gte: 'yesterday' }), locate([]))).toThrow(
        expect.objectContaining({ code: 'VALIDATION_FAILED' }),
      );
    });

    it('reads regular expressions as Lucene does', async () => {
      const [some, none] = await search(
        { query: { regexp: { 'data.state': 'al<0-9>?.*&~(ok)' } } },
        { query: { regexp: { 'data.state': '^ok$' } } },
      );
      expect(some).toMatchObject({ hits: { total: { value: 1 } } });
      expect(none).toMatchObject({ hits: { total: { value: 0 } } });
    });

    it('lists the fields that can be asked for, with their types', async () => {
      expect(await opened.index.fields(callOf())).toEqual(
        expect.arrayContaining([
          { path: 'ts', type: 'date' },
          { path: 'data.t', type: 'double' },
          { path: 'data.state', type: 'keyword' },
          { path: 'device.location', type: 'geo_point' },
        ]),
      );
    });

    it('checks a query against the fields of an organization', async () => {
      const { organizationId } = opened.world;
      await opened.index.check(organizationId, { term: { 'data.t': 1 } });
      await expect(opened.index.check(organizationId, { term: { 'data.t': 'warm' } })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      });
    });

    it('reads a line for each device and variable, in their order', async () => {
      const lines = await readSeries({ variables: ['t', 'missing'], function: SeriesFunction.max });
      expect(lines.map(({ deviceId, name: variable, values }) => [deviceId, variable, values.at(-1)])).toEqual([
        [opened.devices['b'], 't', 30],
        [opened.devices['b'], 'missing', undefined],
        [opened.devices['a'], 't', 20],
        [opened.devices['a'], 'missing', undefined],
      ]);
    });

    it('finds the newest measured values of devices, and says how much it read', async () => {
      let read = 0;
      const found = await opened.index.latest([opened.devices['a']!, opened.devices['b']!], (bytes) => (read += bytes));
      expect(found.get(opened.devices['a']!)).toEqual(
        expect.arrayContaining([expect.objectContaining({ name: 't', ts: noon - 2 * hour, value: 20 })]),
      );
      expect(read).toBeGreaterThan(0);
    });
  });
};

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { minuteMs } from '#common/time.js';
import { start, useField } from './field.js';

/** The calls that every client supports under its own method names; answers are bodies. */
interface Calls {
  call(path: string, parameters?: object): Promise<any>;
  scrollAll(): Promise<number[]>;
}

const within = { range: { ts: { gte: start, lte: start + 2 * minuteMs, format: 'epoch_millis' } } };

/** Calls a client's method by its dotted name. Clients of version 7 and OpenSearch wrap the body. */
const calling =
  (client: object) =>
  async (path: string, parameters: object = {}): Promise<any> => {
    const names = path.split('.');
    const owner = names.slice(0, -1).reduce<any>((inner, name) => inner[name], client);
    const answer = await owner[names.at(-1)!](parameters);
    return answer?.body === undefined || answer.statusCode === undefined ? answer : answer.body;
  };

const helped = async (client: { helpers: { scrollDocuments: (parameters: any) => AsyncIterable<any> } }) => {
  const found: number[] = [];
  const parameters = { index: 'records', size: 1, body: { query: within }, query: within };
  for await (const document of client.helpers.scrollDocuments(parameters)) found.push(document.data.float);
  return found;
};

/** A search engine client for an application's index. */
export interface ClientKind {
  /** The package and its release. */
  name: string;
  /** Whether the client takes the keys of a search in `body`, as version 7 and OpenSearch do. */
  wraps: boolean;
  make(url: string, token: string): { close(): unknown };
}

/** The options of an Elastic client. */
export const elasticOptions = (url: string, token: string) => ({ node: url, auth: { bearer: token }, maxRetries: 0 });

/** Tests the main uses of each client, in an application of the file's own service. */
export function testClients(kinds: readonly ClientKind[]): void {
  const field = useField();

  describe.each([...kinds])('search client $name', ({ name, wraps, make }) => {
    const body = (keys: object) => (wraps ? { body: keys } : keys);
    let made: ReturnType<ClientKind['make']>;
    let client: Calls;

    beforeAll(() => {
      made = make(field.url, field.token);
      client = { call: calling(made), scrollAll: () => helped(made as any) };
    });

    // A connection that stays open keeps the test worker alive after its last file.
    afterAll(async () => {
      await made.close();
    });

    it('reads ping, version, health and index', async () => {
      expect(await client.call('ping')).toBe(true);
      expect(await client.call('info')).toMatchObject({
        version: { number: '8.19.0' },
        tagline: 'You Know, for Search',
      });
      expect(await client.call('cluster.health', { index: 'records' })).toMatchObject({ status: 'green' });
      expect(await client.call('indices.exists', { index: 'records' })).toBe(true);
      const mapping = await client.call('indices.getMapping', { index: 'records' });
      expect(mapping.records.mappings.properties.data.properties.float).toEqual({ type: 'double' });
      const ofFields = await client.call('indices.getFieldMapping', { index: 'records', fields: 'ts,data.f*' });
      expect(ofFields.records.mappings).toEqual({
        ts: { full_name: 'ts', mapping: { ts: { type: 'date' } } },
        'data.float': { full_name: 'data.float', mapping: { float: { type: 'double' } } },
      });
      expect(await client.call('cat.indices', { format: 'json' })).toMatchObject([{ index: 'records' }]);
      expect(await client.call('nodes.info')).toMatchObject({ _nodes: { total: 1 } });
    });

    it('searches with and without an index name, and counts', async () => {
      const sorted = { query: within, sort: [{ ts: 'asc' }] };
      for (const place of [{}, { index: 'records' }, { index: 'records-*' }]) {
        const found = await client.call('search', { ...place, ...body(sorted) });
        expect(found.hits.total).toEqual({ value: 3, relation: 'eq' });
        expect(found.hits.hits.map((hit: any) => hit._source.data.float)).toEqual([1.5, 4, 2.5]);
      }
      const counted = await client.call('count', {
        index: 'records',
        ...body({ query: { term: { 'data.label': 'red' } } }),
      });
      expect(counted.count).toBe(2);
    });

    it('sends several searches in one call', async () => {
      const pairs = [
        { index: 'records' },
        { size: 0, query: within },
        {},
        { size: 0, aggs: { high: { max: { field: 'data.float' } } } },
      ];
      const answer = await client.call('msearch', wraps ? { body: pairs } : { searches: pairs });
      expect(answer.responses[0].hits.total.value).toBe(3);
      expect(answer.responses[1].aggregations.high.value).toBe(4);
    });

    it('reads field capabilities, and validates a query', async () => {
      const caps = await client.call('fieldCaps', { index: 'records', fields: 'data.*' });
      expect(Object.keys(caps.fields).sort()).toEqual(['data', 'data.count', 'data.float', 'data.label']);
      const valid = await client.call('indices.validateQuery', { index: 'records', ...body({ query: within }) });
      expect(valid.valid).toBe(true);
      const wrong = { query: { range: { 'data.float': { gte: 'many' } } } };
      expect(await client.call('indices.validateQuery', { explain: true, ...body(wrong) })).toMatchObject({
        valid: false,
        explanations: [{ error: expect.stringContaining('many') }],
      });
    });

    it('reads all pages of a scroll', async () => {
      expect((await client.scrollAll()).sort()).toEqual([1.5, 2.5, 4]);
    });

    it('pages through a point in time', async () => {
      const isOpenSearch = name.includes('opensearch');
      const opened = isOpenSearch
        ? await client.call('createPit', { index: 'records', keep_alive: '1m' })
        : await client.call('openPointInTime', { index: 'records', keep_alive: '1m' });
      const pit = { id: opened.id ?? opened.pit_id, keep_alive: '1m' };
      const floats: number[] = [];
      let after: object = {};
      for (;;) {
        const asked = { size: 2, query: within, pit, sort: [{ 'data.label': 'desc' }], ...after };
        const { hits } = (await client.call('search', body(asked))).hits;
        if (hits.length === 0) break;
        floats.push(...hits.map((hit: any) => hit._source.data.float));
        after = { search_after: hits.at(-1).sort };
      }
      expect(floats).toEqual([1.5, 2.5, 4]);
      const closed = isOpenSearch
        ? await client.call('deletePit', { body: { pit_id: [pit.id] } })
        : await client.call('closePointInTime', body({ id: pit.id }));
      expect(closed).toMatchObject(isOpenSearch ? { pits: [{ successful: true }] } : { succeeded: true });
    });

    it("throws a ResponseError with the engine's error type for an invalid query", async () => {
      const refused = client.call('search', { index: 'records', ...body({ query: { terrm: { a: 1 } } }) });
      await expect(refused).rejects.toMatchObject({
        name: 'ResponseError',
        statusCode: 400,
        meta: {
          body: { status: 400, error: { type: 'parsing_exception', root_cause: [{ type: 'parsing_exception' }] } },
        },
      });
    });

    it('receives cluster_block_exception for a write', async () => {
      const written = client.call('index', {
        index: 'records',
        ...(wraps ? { body: { a: 1 } } : { document: { a: 1 } }),
      });
      await expect(written).rejects.toMatchObject({
        statusCode: 403,
        message: expect.stringContaining('cluster_block_exception'),
      });
    });
  });
}

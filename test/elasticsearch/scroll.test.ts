import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService } from '../support/start-service.js';
import { withDatabase } from '../support/tenant.js';
import { type Answered, type Field, send, useField } from './field.js';

const field = useField();
let now = Date.now();
const clocked = useField({ clock: () => now });

const open = async (of: Field, size = 1): Promise<string> => {
  const { body } = await send(of, 'POST', `/_search?scroll=1m&size=${size}`, { body: { sort: ['data.float'] } });
  return body._scroll_id as string;
};
const next = (of: Field, scroll_id: unknown, scroll: string | undefined = '1m') =>
  send(of, 'POST', '/_search/scroll', { body: { scroll_id, scroll } });
const floats = ({ body }: Answered): number[] => body.hits.hits.map((hit: any) => hit._source.data.float);
const clear = (of: Field, scroll_id: unknown) => send(of, 'DELETE', '/_search/scroll', { body: { scroll_id } });

const expectMissing = ({ status, body }: Answered) =>
  expect([status, body.error.root_cause[0].type]).toEqual([404, 'search_context_missing_exception']);

describe('scroll', () => {
  it('returns the next page to a client that repeats the first identifier', async () => {
    const id = await open(field);
    const pages = [await next(field, id), await next(field, id), await next(field, id), await next(field, id)];
    expect(pages.map(floats)).toEqual([[2.5], [4], [], []]);
    expect(pages.map(({ body }) => body._scroll_id)).toEqual([id, id, id, id]);
  });

  it('returns a different page to each of two concurrent calls', async () => {
    const id = await open(field);
    const pages = await Promise.all([next(field, id), next(field, id)]);
    expect(pages.flatMap(floats).sort()).toEqual([2.5, 4]);
  });

  it('ends after a page that is requested without `scroll`', async () => {
    const id = await open(field);
    expect(floats(await send(field, 'GET', `/_search/scroll?scroll_id=${id}`))).toEqual([2.5]);
    expectMissing(await next(field, id));
  });

  it('disappears when it is cleared by identifier or with _all', async () => {
    const [one, two, three] = [await open(field), await open(field), await open(field)];
    const cleared = await clear(field, [one, one]);
    expect([cleared.status, cleared.body]).toEqual([200, { succeeded: true, num_freed: 1 }]);
    expectMissing(await next(field, one));
    const again = await send(field, 'DELETE', `/_search/scroll/${one}`);
    expect([again.status, again.body]).toEqual([404, { succeeded: true, num_freed: 0 }]);
    expect((await send(field, 'DELETE', '/_search/scroll/_all')).body.num_freed).toBeGreaterThanOrEqual(2);
    expectMissing(await next(field, two));
    expectMissing(await next(field, three));
  });

  it('expires after the time in `scroll` without a request', async () => {
    const id = await open(clocked);
    now += 59_000;
    expect((await next(clocked, id, '5m')).status).toBe(200);
    now += 299_000;
    expect((await next(clocked, id)).status).toBe(200);
    now += 61_000;
    expectMissing(await next(clocked, id));
  });

  it('continues in another process, and with an identifier signed by an older key', async () => {
    const id = await open(field);
    const other = await startTestService(field.service.databaseUrl, { secretKeys: ['newer', 'a key for tests'] });
    try {
      const there = { ...field, url: field.url.replace(field.service.url, other.url) };
      expect(floats(await next(there, id))).toEqual([2.5]);
      const foreign = await open(there);
      expect((await next(field, foreign)).status).toBe(400);
      expect(floats(await next(field, id))).toEqual([4]);
    } finally {
      await other.close();
    }
  });

  it('returns 400 for a query that is too long to keep', async () => {
    const values = Array.from({ length: 20_000 }, (_, index) => `value-${index}`);
    const body = { query: { terms: { 'data.label': values } } };
    const { status, body: answer } = await send(field, 'POST', '/_search?scroll=1m', { body });
    expect([status, answer.error.reason]).toEqual([400, 'The query is too long for a scroll; use search_after.']);
  });
});

describe('scrolls of an organization', () => {
  it("returns 429 beyond 500 scrolls, and leaves another organization's scrolls alone", async () => {
    const { organizationId, applicationId, service } = field;
    await clear(field, '_all');
    await withDatabase(service, (db) =>
      db.query(
        `insert into scroll (id, organization_id, application_id, query, shown, expires_at)
       select gen_random_uuid(), $1, $2, '{}', 0, now() + interval '1 hour' from generate_series(1, 499)`,
        [organizationId, applicationId],
      ),
    );
    const id = await open(field);
    const refused = await send(field, 'POST', '/_search?scroll=1m');
    expect([refused.status, refused.body.error.root_cause[0]]).toMatchObject([
      429,
      {
        type: 'rejected_execution_exception',
        reason: expect.stringContaining(
          'Trying to create too many scroll contexts. Must be less than or equal to: [500].',
        ),
      },
    ]);
    expect((await send(clocked, 'POST', '/_search?scroll=1m')).status).toBe(200);
    await clear(field, id);
    expect((await send(field, 'POST', '/_search?scroll=1m')).status).toBe(200);
    await clear(field, '_all');
  });
});

/** Returns an unsigned identifier of the earlier format, which decompresses to the given number of megabytes. */
const unsigned = ({ organizationId, applicationId }: Field, megabytes: number): string => {
  const query = { query: { query_string: { query: ' '.repeat(megabytes * 2 ** 20) } } };
  return deflateRawSync(JSON.stringify({ kind: 'scroll', organizationId, applicationId, query })).toString('base64url');
};

describe('identifiers of scrolls and points in time', () => {
  let scroll: string;
  let pit: string;
  beforeAll(async () => {
    scroll = await open(field);
    pit = (await send(field, 'POST', '/records/_pit?keep_alive=1m')).body.id as string;
  });

  it.each([
    ['one that is altered', () => `${scroll.startsWith('A') ? 'B' : 'A'}${scroll.slice(1)}`],
    [
      'one whose payload is altered',
      () => `${scroll.slice(0, 50)}${scroll[50] === 'A' ? 'B' : 'A'}${scroll.slice(51)}`,
    ],
    ['one that is cut off', () => scroll.slice(0, -1)],
    ['one that goes on', () => `${scroll}AAAA`],
    ['one of another kind', () => pit],
    [
      'one with a hash for a signature',
      () => `${createHash('sha256').update(scroll).digest('base64url')}${scroll.slice(43)}`,
    ],
    ['one that unpacks to 4 MB', () => unsigned(field, 4)],
    ['one of 64 kB', () => 'A'.repeat(65_536)],
    ['one of other characters', () => '\u0000'.repeat(64)],
    ['nothing', () => ''],
    ['a number', () => 12],
    ['lists within lists', () => [[[['A']]]]],
  ])('returns 400 for %s', async (_title, make) => {
    const id = make();
    for (const answer of [
      await next(field, id),
      await clear(field, [id]),
      await send(field, 'POST', '/_search', { body: { pit: { id: id === pit ? scroll : id } } }),
      await send(field, 'DELETE', '/_pit', { body: { id: id === pit ? scroll : id } }),
    ])
      expect([answer.status, answer.body.error.type]).toEqual([400, 'illegal_argument_exception']);
  });

  it('returns 400 within 1 s for 180 old identifiers that decompress to 4 MB each', async () => {
    const ids = Array<string>(180).fill(unsigned(field, 4));
    const began = performance.now();
    expect((await clear(field, ids)).status).toBe(400);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('returns 400 for more than 500 identifiers in one call', async () => {
    const answer = await clear(
      field,
      Array.from({ length: 501 }, () => scroll),
    );
    expect([answer.status, answer.body.error.reason]).toEqual([400, 'Too many scroll ids: at most 500 in one request']);
    const pits = await send(field, 'DELETE', '/_pit', { body: { pit_id: Array.from({ length: 501 }, () => pit) } });
    expect(pits.status).toBe(400);
  });
});

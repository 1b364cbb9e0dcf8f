import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { TokenScope } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import { itIf } from '../support/conditional.js';
import { testRecordIndex } from '../support/record-index.js';
import { withDatabase } from '../support/tenant.js';
import { type Answered, send, useField } from './field.js';

const field = useField();
const busy = useField({ config: { rateLimit: 1 } });
const slow = useField({ config: { search: { timeout: 1000, rollups: true }, requestsAtOnce: 150 } });

/** Every error is an object with type, reason and root cause, beside the status. */
const expectError = (answer: Answered, status: number, type: string) => {
  expect(answer.body).toMatchObject({ status, error: { type, reason: expect.any(String), root_cause: [{ type }] } });
  expect(Object.keys(answer.body).sort()).toEqual(['error', 'status']);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('x-elastic-product')).toBe('Elasticsearch');
  expect(answer.headers.get('x-request-id')).toBeTruthy();
};

describe('error of the Elasticsearch-compatible endpoint', () => {
  it('has status 401 without a token, and says how to send one', async () => {
    const answer = await send({ ...field, token: '' }, 'GET', '/records/_search');
    expectError(answer, 401, 'security_exception');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.body.error.reason).toContain('Authorization: Bearer');
  });

  it('has status 403 for an ingest token', async () => {
    const { token = '' } = await field.tenant.client({ scope: TokenScope.ingest });
    expectError(await send({ ...field, token }, 'GET', '/_search'), 403, 'security_exception');
  });

  it('has status 404 for an unknown application', async () => {
    const url = field.url.replace(field.applicationId, newId());
    expectError(await send({ ...field, url }, 'GET', '/_search'), 404, 'index_not_found_exception');
    expectError(await send({ ...field, url }, 'GET', ''), 404, 'index_not_found_exception');
  });

  it('has status 400 for a path that Elasticsearch lacks', async () => {
    for (const path of ['/_sql', '/_nothing/_search', '/records/_forcemerge', '/a/b/c/d/e'])
      expectError(await send(field, 'POST', path), 400, 'illegal_argument_exception');
    expect((await send(field, 'GET', '/_sql')).body.error.reason).toBe(
      'no handler found for uri [/_sql] and method [GET]',
    );
  });

  it('has status 405 with the allowed verbs for a verb that the path lacks', async () => {
    const answer = await send(field, 'PUT', '/_search');
    expectError(answer, 405, 'method_not_allowed_exception');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
    const options = await send(field, 'OPTIONS', '/_search');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  });

  it('has status 406 for YAML', async () => {
    const headers = { accept: 'application/yaml' };
    expectError(await send(field, 'GET', '/_search', { headers }), 406, 'media_type_header_exception');
  });

  it('has status 413 for a body over the limit, also when it was compressed', async () => {
    const body = JSON.stringify({ query: 'a'.repeat(2 ** 20) });
    expectError(await send(field, 'POST', '/_search', { body }), 413, 'content_too_long_exception');
    const headers = { 'content-encoding': 'gzip' };
    expectError(
      await send(field, 'POST', '/_search', { body: gzipSync(body), headers }),
      413,
      'content_too_long_exception',
    );
  });

  it('has status 415 for another content type', async () => {
    const headers = { 'content-type': 'text/csv' };
    expectError(await send(field, 'POST', '/_search', { body: 'a', headers }), 415, 'media_type_header_exception');
  });

  it('has status 429 above the rate limit', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(busy, 'GET', '/_cluster/health')));
    const refused = answers.find(({ status }) => status === 429)!;
    expectError(refused, 429, 'rejected_execution_exception');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  itIf(testRecordIndex() === 'postgres', 'a cluster cannot be slowed down by a lock')(
    'has status 429 or 504 instead of a count of 0 when records cannot be counted in time',
    async () => {
      const answers = await withDatabase(slow.service, async (db) => {
        await db.query('begin; lock table record in access exclusive mode');
        const paths = ['/_cat/count', '/_cat/indices', '/_count'];
        return Promise.all(Array.from({ length: 150 }, (_, index) => send(slow, 'GET', paths[index % 3]!)));
      });
      const types: Record<number, string> = { 429: 'rejected_execution_exception', 504: 'timeout_exception' };
      for (const answer of answers) expectError(answer, answer.status, types[answer.status]!);
      expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([429, 504]);
    },
    60_000,
  );

  it('has status 400 with the position for a body that is not JSON or not a query', async () => {
    expectError(await send(field, 'POST', '/_search', { body: '{"size":' }), 400, 'json_e_o_f_exception');
    expectError(await send(field, 'POST', '/_search', { body: '{size:1}' }), 400, 'json_parse_exception');
    const answer = await send(field, 'POST', '/_search', { body: '{"query":{"terrm":{}}}' });
    expectError(answer, 400, 'parsing_exception');
    expect(answer.body.error).toMatchObject({ line: 1, col: expect.any(Number) });
    expectError(await send(field, 'POST', '/_count', { body: { size: 1 } }), 400, 'parsing_exception');
    expectError(await send(field, 'GET', '/_search?q=%FF'), 400, 'parse_exception');
  });

  it('has status 400 for a body that nests too deep', async () => {
    const body = `${'{"bool":{"must":'.repeat(70)}{}${'}}'.repeat(70)}`;
    expectError(await send(field, 'POST', '/_search', { body: `{"query":${body}}` }), 400, 'json_parse_exception');
  });

  it.each([
    ['POST', '/records/_doc'],
    ['PUT', '/records/_doc/1'],
    ['POST', '/_bulk'],
    ['POST', '/records/_update/1'],
    ['POST', '/records/_delete_by_query'],
    ['PUT', '/records'],
    ['DELETE', '/records'],
    ['PUT', '/records/_mapping'],
  ])('has status 403 for %s %s, which would write', async (verb, path) => {
    expectError(await send(field, verb, path, { body: { a: 1 } }), 403, 'cluster_block_exception');
  });

  it('has status 404 for a cursor of another application, and 400 for an invalid cursor', async () => {
    const { owner, id } = field.tenant;
    const other = await owner.post<{ id: string }>(`/organizations/${id}/applications`, { name: 'Other' });
    const url = field.url.replace(field.applicationId, other.body.id);
    const opened = await send({ ...field, url }, 'POST', '/records/_search?scroll=1m', { body: {} });
    const pit = await send({ ...field, url }, 'POST', '/records/_pit?keep_alive=1m');
    const expectMissing = ({ status, body }: Answered) =>
      expect([status, body.error]).toMatchObject([
        404,
        { type: 'search_phase_execution_exception', root_cause: [{ type: 'search_context_missing_exception' }] },
      ]);
    const next = (scroll_id: string) => send(field, 'POST', '/_search/scroll', { body: { scroll_id } });
    const within = (pitId: string) => send(field, 'POST', '/_search', { body: { pit: { id: pitId } } });
    expectMissing(await next(opened.body._scroll_id));
    expectMissing(await within(pit.body.id));
    expectError(await next(pit.body.id), 400, 'illegal_argument_exception');
    expectError(await within(opened.body._scroll_id), 400, 'illegal_argument_exception');
  });
});

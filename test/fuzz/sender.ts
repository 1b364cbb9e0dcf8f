import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { json, mutated, soup } from './arbitrary.js';
import { application, engine, type Family, organization, statusOf } from './target.js';

const servers = {
  'the-things-stack': 'the-things-stack-uplink',
  'chirpstack?event=up': 'chirpstack-up',
  sigfox: 'sigfox-data-bidir',
  'thingsboard/f0-01': 'thingsboard-telemetry',
} as const;

const uplinks: Arbitrary<readonly [path: string, body: Buffer]> = fc.oneof(
  ...Object.entries(servers).map(([path, name]) =>
    mutated(readFileSync(`test/data/ingest/${name}.json`)).map((body) => [path, body] as const),
  ),
);

const answer =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\nRetry-After: 5\r\n\r\n{"a":[1,"é"]}';

/** Parsers of bodies that other parties write: network servers, receivers of hooks, clients of search engines. */
export const senderFamilies: readonly Family[] = [
  {
    name: 'bodies of network servers',
    cases: uplinks.map(
      ([path, body]) =>
        (target) =>
          statusOf(target, `${organization(target)}/ingest/${path}`, { method: 'POST', body }),
    ),
  },
  {
    name: "answers of hooks' receivers",
    share: 3,
    cases: mutated(Buffer.from(answer)).map((bytes) => (target) => {
      target.answer = bytes;
      return statusOf(target, `${application(target)}/hooks/${target.hookId}/ping`, { method: 'POST' });
    }),
  },
  {
    name: 'messages of assistants',
    cases: fc
      .tuple(
        json,
        mutated(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}')),
        soup('device', 'records of ', '"', '?', '\\', 'é', ' '),
        soup('a', '.', '-', '{'),
      )
      .map(([text, mutant, question, cursor]) => async (target) => {
        const headers = { accept: 'application/json, text/event-stream' };
        const post = (body: Buffer | string) => statusOf(target, '/mcp', { method: 'POST', body, headers });
        const calling = (name: string, given: object) =>
          post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }));
        const statuses = [
          await post(text),
          await post(mutant),
          await calling('schema_search', { question }),
          await calling('find_devices', { limit: 1, cursor }),
        ];
        return statuses.includes(500) ? 500 : statuses.at(-1);
      }),
  },
  {
    name: 'lines of _msearch, compressed by Brotli or not',
    cases: fc
      .tuple(fc.array(fc.oneof(json, soup('{}', '{"index":"a"}', '{"size":1}', '\n')), { maxLength: 8 }), fc.boolean())
      .map(([lines, isPacked]) => (target) => {
        const body = Buffer.from(`${lines.join('\n')}\n`);
        const headers = { 'content-type': 'application/x-ndjson', ...(isPacked && { 'content-encoding': 'br' }) };
        const sent = isPacked ? brotliCompressSync(body) : body;
        return statusOf(target, `${engine(target)}/_msearch`, { method: 'POST', body: sent, headers });
      }),
  },
];

import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createLog } from '#common/log.js';
import { readConfig } from '#config/config.js';
import { useService } from '../support/service.js';
import { buildCustomer } from './customer.js';
import { startReceiver } from './receiver.js';

let logged = '';
const log = createLog(
  'trace',
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  }),
);
const service = useService({
  log,
  config: { hooks: { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'], retrySchedule: [60_000] } },
});

/** Returns every value of every table as text. */
async function everythingStored(): Promise<string> {
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  let text = '';
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    text += rows.map(({ row }) => row).join('\n');
  }
  await client.end();
  return text;
}

describe('secrets of a hook', () => {
  it('appears in no table, log line, error or answer, even when the receiver echoes it', async () => {
    const owner = await buildCustomer(service);
    const pass = 'canary-pass-"quoted"';
    const value = 'canary-value-7391';
    const echo = await startReceiver((response, { headers, body }) => {
      response.writeHead(headers['x-service-event'] === 'ping' ? 200 : 500, {
        'content-type': 'application/json',
        'x-echo': String(headers['x-key']),
      });
      response.end(JSON.stringify({ headers, body, pass }));
    });
    const { path } = await owner.hook({
      url: echo.url(),
      authentication: { basic: { user: 'me', pass }, header: { name: 'X-Key', value } },
    });
    const secret = await owner.call<{ signingSecret: string }>('POST', `${path}/signing-secret`);
    const signing = secret.body.signingSecret;
    await owner.call('POST', `${path}/ping`);
    await owner.send();
    await echo.received(2);
    await owner.call('PUT', path, { url: 'http://127.0.0.1:1/' });
    const ping = await owner.call('POST', `${path}/ping`);
    const wrong = await owner.call('PUT', path, {
      url: echo.url(),
      authentication: { header: { name: 'Host', value } },
    });
    const list = await owner.call('GET', `${path}/deliveries`);

    const answers = [ping, wrong, list].map(({ body }) => JSON.stringify(body)).join('\n');
    const stored = await everythingStored();
    // The forms to look for: the pair of basic authentication, and each secret bare and as JSON writes it.
    const forms = [pass, JSON.stringify(pass).slice(1, -1), value, btoa(`me:${pass}`), signing, signing.slice(6)];
    for (const form of forms) {
      expect(stored).not.toContain(form);
      expect(logged).not.toContain(form);
      expect(answers).not.toContain(form);
    }
    expect(stored).toContain('[redacted]');
    expect(echo.calls[0]?.headers['x-key']).toBe(value);
    await echo.close();
  });

  describe("redaction of secrets in a receiver's answer", () => {
    const secret = 'canary/Value-42+"q"';
    const unicode = [...secret]
      .map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)
      .join('');
    const slashes = JSON.stringify(secret).slice(1, -1).replace('/', '\\/');

    /** Returns the stored answer of a receiver that sends this body to a ping. */
    async function kept(value: string, type: string, body: string, headers: Record<string, string> = {}) {
      const owner = await buildCustomer(service);
      const receiver = await startReceiver((response) =>
        response.writeHead(200, { 'content-type': type, ...headers }).end(body),
      );
      const { path } = await owner.hook({
        url: receiver.url(),
        authentication: { header: { name: 'X-Key', value } },
      });
      await owner.call('POST', `${path}/ping`);
      for (;;) {
        const { body: list } = await owner.call<{ response?: { headers: Record<string, string>; body: unknown } }[]>(
          'GET',
          `${path}/deliveries`,
        );
        if (list[0]?.response) {
          await receiver.close();
          return list[0].response;
        }
      }
    }

    it.each([
      ['slashes', slashes],
      ['characters', unicode],
    ])('replaces a secret in values, keys and nested JSON with escaped %s', async (_, spelled) => {
      const inside = JSON.stringify(`{"a":"${spelled}"}`);
      const sent = `{"a":"x${spelled}y","${spelled}":[1e2,"\\u0041\\/"],"inside":${inside}}`;
      expect((await kept(secret, 'application/json', sent)).body).toEqual({
        a: 'x[redacted]y',
        '[redacted]': [100, 'A/'],
        inside: '{"a":"[redacted]"}',
      });
    });

    it.each([
      ['as they are', secret],
      ['with escaped slashes', slashes],
      ['with escaped characters', unicode],
    ])('replaces a secret in text, written %s', async (_, spelled) => {
      expect((await kept(secret, 'text/plain', `key=${spelled}; C:\\temp`)).body).toBe('key=[redacted]; C:\\temp');
      expect((await kept(secret, 'application/json', `{"a":"${spelled}`)).body).toBe('{"a":"[redacted]');
    });

    it('replaces a secret that crosses the end of the stored part', async () => {
      const before = 'x'.repeat(16 * 1024 - 10);
      expect((await kept(secret, 'text/plain', `${before}${secret}`)).body).toBe(`${before}[redacted]`);
    });

    it.each([
      ['as they are', `${secret}${'z'.repeat(100)}`],
      ['with escaped characters', `${unicode}${'\\u007a'.repeat(100)}`],
    ])('replaces a secret that crosses the end of the read part, written %s', async (_, spelled) => {
      // After replacement, the repeated secrets are much shorter than the stored part, so a last one cut in two would
      // show.
      const sent = spelled.repeat(Math.ceil((64 * 1024) / spelled.length)) + 'x'.repeat(100_000);
      const { body } = await kept(`${secret}${'z'.repeat(100)}`, 'text/plain', sent);
      expect(body).toBe('[redacted]'.repeat(Math.floor((64 * 1024) / spelled.length)));
    });

    it('replaces a short secret only when it is a whole value', async () => {
      const sent = '{"a":"1234","b":1234,"c":"x1234","d":[12345]}';
      expect(await kept('1234', 'application/json', sent, { 'x-a': '1234', 'x-b': 'x1234' })).toMatchObject({
        headers: { 'x-a': '[redacted]', 'x-b': 'x1234' },
        body: { a: '[redacted]', b: '[redacted]', c: 'x1234', d: [12345] },
      });
    });
  });
});

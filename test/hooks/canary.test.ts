import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '../../src/config.js';
import { createLog } from '../../src/log.js';
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

/** Every value of every table, as text. */
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

describe("a hook's secrets", () => {
  it('are found in no table, log line, error or answer, even where a receiver sends them back', async () => {
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
    // The pair of a basic authentication, and each secret bare and as JSON writes it.
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
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { useWorld } from '../support/world.js';
import { Visitor } from './visitor.js';

const script = new URL('../../scripts/provider.js', import.meta.url).pathname;
let issuer = '';
let child: ChildProcess;

beforeAll(async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  issuer = `http://127.0.0.1:${port}`;
  child = spawn(process.execPath, [script, String(port)], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout!, 'data');
});
afterAll(() => {
  child.kill();
});

const world = useWorld({
  config: {
    get oidc() {
      const client = { clientId: 'ddp', clientSecret: 'only to try it', domains: ['example.com'] };
      return [{ ...client, number: 1, issuer, name: 'To try' }];
    },
  },
});

/** Signs in under a name by the forms of the provider. Returns the answer of the callback. */
async function signIn(visitor: Visitor, name: string) {
  const elsewhere = new Visitor(issuer);
  let { headers } = await visitor.get('/auth/start?provider=1');
  for (let steps = 0; steps < 10; steps++) {
    const to = new URL(String(headers.location), issuer);
    if (to.pathname === '/auth/callback') return visitor.get(`${to.pathname}${to.search}`);
    let page = await elsewhere.get(to.href);
    const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
    if (action !== undefined) {
      const prompt = /name="prompt" value="(\w+)"/.exec(page.text)![1]!;
      const form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: name, password: 'x' }) });
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      page = await elsewhere.send('POST', new URL(action, issuer).pathname, type, form.toString());
    }
    ({ headers } = page);
  }
  throw new Error('The provider did not send the person back.');
}

describe('npm run provider', () => {
  it.each([
    ['anybody', 303, ''],
    ['wrong-nonce', 403, 'The answer of the provider is not valid.'],
    ['wrong-audience', 403, 'The answer of the provider is not valid.'],
    ['wrong-issuer', 403, 'The answer of the provider is not valid.'],
    ['expired', 403, 'The answer of the provider is not valid.'],
    ['unverified', 403, 'you have no account here'],
  ])('shows how a sign-in ends under the name %s', async (name, status, text) => {
    const account = { username: `try-${name}`, email: `${name}@example.com` };
    await createAccount(world.pool, AccountType.user, account, new Date());
    const page = await signIn(new Visitor(world.url), name);
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(text)]);
  });
});

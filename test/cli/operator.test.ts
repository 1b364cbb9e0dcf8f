import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ended, runCommand, startCommand } from '../support/command.js';
import { useService } from '../support/service.js';

const service = useService();

/** Runs a command on the database of the running service. */
const ddp = (...args: string[]) => runCommand(args, { DATABASE_URL: service.databaseUrl });

/** Runs a command with --json and returns the printed value. */
async function ask<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await ddp(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

const account = (token: string) =>
  fetch(`${service.url}/ddp/v1/account`, { headers: { authorization: `Bearer ${token}` } });

describe('ddp', () => {
  let id: string;
  let token: string;

  beforeAll(async () => {
    const args = ['--username', 'Acme', '--email', 'acme@example.com', '--name', 'Acme Ltd'];
    ({ id, token } = await ask<{ id: string; token: string }>('organization', 'create', ...args));
  });

  afterAll(() => ddp('organization', 'enable', id));

  it('creates an organization with a working token', async () => {
    const response = await account(token);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id, username: 'acme', name: 'Acme Ltd', type: 'organization' });
  });

  it('reports a taken user name in one sentence, with empty stdout', async () => {
    const outcome = await ddp('organization', 'create', '--username', 'acme', '--email', 'other@example.com', '--json');
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: 'The username acme is taken.\n' });
  });

  it('reports all invalid settings at once before it starts', async () => {
    const outcome = await runCommand(['serve'], { PORT: 'high', HOOK_TIMEOUT: '1', DATABASE_URL: service.databaseUrl });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/PORT .*\n.*HOOK_TIMEOUT .*\n.*SECRET_KEY /);
  });
});

describe('ddp serve', () => {
  it("prints the console's address and a command for a new token at each start", async () => {
    const child = startCommand(['serve'], {
      DATABASE_URL: service.databaseUrl,
      PORT: '0',
      SECRET_KEY: 'a key for tests',
    });
    try {
      let printed = '';
      for await (const part of child.stdout!) {
        printed += String(part);
        if (printed.includes('a token')) break;
      }
      expect(printed).toMatch(/ console +http:\/\/127\.0\.0\.1:\d+\/console\/\n/);
      expect(printed).toMatch(/ a token +npm run -s ddp -- token create --organization [0-9a-f-]{36} /);
    } finally {
      child.kill('SIGTERM');
      await ended(child);
    }
  });
});

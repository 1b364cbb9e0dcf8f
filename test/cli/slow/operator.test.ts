import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#entities/id.js';
import { runCommand } from '../../support/command.js';
import { useService } from '../../support/service.js';

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

describe('ddp commands', () => {
  let id: string;
  let token: string;

  const post = (path: string, body: object, bearer = token) =>
    fetch(`${service.url}/ddp/v1/organizations/${id}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  beforeAll(async () => {
    const args = ['--username', 'Acme', '--email', 'acme@example.com', '--name', 'Acme Ltd'];
    ({ id, token } = await ask<{ id: string; token: string }>('organization', 'create', ...args));
  });

  afterAll(() => ddp('organization', 'enable', id));

  it('names the required version of Node.js when it runs on an older one', async () => {
    const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
    const settings = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(older)}` };
    expect(await runCommand(['--version'], settings)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^ddp needs Node.js 24 or newer, and this is 20.20.2. /),
    });
  });

  it('suspends the tokens of a disabled organization until it is enabled', async () => {
    expect(await ask('organization', 'disable', id)).toEqual({ id, disabled: true });
    expect((await account(token)).status).toBe(401);
    expect(await ask('organization', 'enable', id)).toEqual({ id, disabled: false });
    expect((await account(token)).status).toBe(200);
  });

  it('creates read tokens, and revokes them', async () => {
    const args = ['--organization', id, '--scope', 'read', '--expires', '30d'];
    const made = await ask<{ id: string; token: string }>('token', 'create', ...args);
    const change = await post('teams', { name: 'Field Ops' }, made.token);
    expect([(await account(made.token)).status, change.status]).toEqual([200, 403]);
    expect(await ask('token', 'revoke', made.id)).toEqual({ id: made.id, revoked: true });
    expect((await account(made.token)).status).toBe(401);
  });

  it('refuses a token for a user who is not a member', async () => {
    const user = await ask<{ id: string }>('user', 'create', '--username', 'ada', '--email', 'ada@example.com');
    const outcome = await ddp('token', 'create', '--organization', id, '--user', user.id);
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('not a member') });
  });

  it('sets, shows and removes each quota', async () => {
    const { id: organization } = await ask<{ id: string }>(
      'organization',
      'create',
      '--username',
      'metered',
      '--email',
      'metered@example.com',
    );

    expect(await ask('quota', 'show', organization)).toEqual({
      organization,
      recordsPerDay: 'none',
      devices: 'none',
      storedBytes: 'none',
      commandsPerDay: 'none',
    });
    await ask('quota', 'set', organization, '--records-per-day', '1000', '--stored-bytes', '20G');
    const more = ['--devices', '5', '--records-per-day', 'none', '--commands-per-day', '200'];
    const set = await ask('quota', 'set', organization, ...more);
    expect(set).toEqual({
      organization,
      recordsPerDay: 'none',
      devices: '5',
      storedBytes: '21474836480',
      commandsPerDay: '200',
    });
    expect(await ask('quota', 'show', organization)).toEqual(set);
  });

  it('publishes a product to every organization', async () => {
    const created = await post('products', { name: 'Probe', version: '1', variables: [] });
    const product = (await created.json()) as { id: string };
    expect(await ask('product', 'publish', product.id)).toEqual({ id: product.id, public: true });
    const listed = await fetch(`${service.url}/ddp/v1/products`, { headers: { authorization: `Bearer ${token}` } });
    expect(await listed.json()).toMatchObject([{ id: product.id, public: true }]);
  });

  it.each([
    ['an unknown id', ['organization', 'disable', newId()], /^There is no organization /],
    ['an unknown command', ['reboot'], /unknown command 'reboot'/],
    ['a missing option', ['user', 'create', '--username', 'bob'], /--email/],
    ['an invalid duration', ['token', 'create', '--organization', newId(), '--expires', 'soon'], /such as 30d/],
    ['a duration beyond any date', ['token', 'create', '--organization', newId(), '--expires', '9999999d'], /century/],
    ['a blank name', ['token', 'create', '--organization', newId(), '--name', ' '], /^The name must have /],
    ['an invalid retention', ['retention', 'set', '5x', '--organization', newId()], /such as 30d/],
    [
      'a quota that is not a number',
      ['quota', 'set', newId(), '--devices', '-5'],
      /whole number, such as 100000 or 20G, or none/,
    ],
    ['a quota of an unknown organization', ['quota', 'set', newId(), '--devices', '5'], /^There is no organization /],
  ])('exits with code 1 and one sentence for %s', async (_, args, sentence) => {
    const outcome = await ddp(...args);
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(sentence) });
  });

  it('reports an unreachable database without its password', async () => {
    const outcome = await runCommand(['migrate'], { DATABASE_URL: 'postgresql://me:hidden@127.0.0.1:1/ddp' });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('127.0.0.1:1/ddp') });
    expect(outcome.stderr).not.toContain('hidden');
  });
});

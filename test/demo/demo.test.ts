import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { runCommand } from '../support/command.js';
import { useService } from '../support/service.js';
import { createTenant } from '../support/tenant.js';

const { hooks } = readConfig({});
const service = useService({ config: { hooks: { ...hooks, allowCidrs: ['127.0.0.0/8'] } } });

const demo = (...args: string[]) =>
  runCommand(['demo', '--url', service.url, ...args], { DATABASE_URL: service.databaseUrl });

describe('ddp demo', () => {
  it('prints the call, the delivery and the averages, and runs again over the same data', async () => {
    const first = await demo();
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Everything worked.') });
    expect(first.stdout).toMatch(/x-service-event: record[^]*"successful": true[^]*T16:00:00\.000Z {2}21\.5 °C/);
    const again = await demo('--json');
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({
      delivery: { successful: true, attemptsMade: 1, response: { statusCode: 200 } },
      averages: [
        { hour: '2020-02-12T15:00:00.000Z', temperature: 1 },
        { hour: '2020-02-12T16:00:00.000Z', temperature: 21.5 },
      ],
    });
  }, 180_000);

  it('uses ORIGIN, TOKEN and ORGANIZATION from the environment', async () => {
    const tenant = await createTenant(service);
    // This database does not exist, so the demo can only use the token.
    const shell = { ORIGIN: service.url, TOKEN: tenant.owner.token!, DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    const shown = await runCommand(['demo'], { ...shell, ORGANIZATION: tenant.id });
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(`Organization ${tenant.id}`) });
    const other = await runCommand(['demo'], { ...shell, ORGANIZATION: 'another' });
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining(`of the organization ${tenant.id}`) });
    const unknown = await runCommand(['demo'], { ...shell, TOKEN: 'ddp_unknown' });
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('unset TOKEN') });
  }, 180_000);

  it('creates two users when there are none, so that a member can be added over REST', async () => {
    const { owner, id } = await createTenant(service);
    const { body } = await owner.get<{ id: string; username: string }[]>('/accounts?q=^demo-');
    expect(body.map(({ username }) => username).sort()).toEqual(['demo-ada', 'demo-grace']);
    expect((await owner.put(`/organizations/${id}/members/${body[1]!.id}`, {})).status).toBe(204);
  });

  it('exits with code 1 and advice when no service runs, and creates no database', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ddp-demo-'));
    const outcome = await runCommand(['demo', '--url', 'http://127.0.0.1:1'], { DATA_DIR: folder });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('npm start') });
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from '@jest/globals';
import { ended, runCommand, startCommand } from '../../support/command.js';
import { useWorld } from '../../support/world.js';

/** This database holds secrets sealed with the key "a key for tests". */
const world = useWorld();

const settings = (key: string) => ({ DATABASE_URL: world.databaseUrl, SECRET_KEY: key, PORT: '0' });

describe('SECRET_KEY', () => {
  it('stops the start with a message when it opens no stored secret, but not when an older key of the list does', async () => {
    const owner = await world.organization();
    const application = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Alarms' });
    await owner.make(`/applications/${owner.id}/${application}/hooks`, {
      url: 'http://127.0.0.1:9/',
      authentication: { basic: { user: 'u', pass: 'p' } },
    });
    const wrong = await runCommand(['serve'], settings('another key'));
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain(
      'SECRET_KEY opens none of the secrets of hooks and network servers stored in this database.',
    );
    const right = startCommand(['serve', '--json'], settings('another key, a key for tests'));
    const [line] = (await once(createInterface(right.stdout!), 'line')) as [string];
    expect(JSON.parse(line)).toMatchObject({ url: expect.any(String) });
    right.kill('SIGTERM');
    expect(await ended(right)).toBe(0);
  }, 180_000);
});

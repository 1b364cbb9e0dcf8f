import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/command.js';
import { createDatabase, execute } from '../support/server.js';

/** Makes a database look as if builds from before the baseline had applied these migrations. */
async function createEarlier(...names: string[]): Promise<string> {
  const url = await createDatabase();
  await execute(url, `delete from migration where name ~ '^[0-9]{2}-'`);
  await execute(url, 'insert into migration (name, executed_at) select unnest($1::text[]), now()', [names]);
  return url;
}

const first = '20261120-01-accounts';
const last = '20261125-71-claims-of-quotas';
const organization = '01900000-0000-7000-8000-000000000001';

let folder: string;
let earlier: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ddp-earlier-'));
  earlier = await createEarlier(first, last);
  await execute(
    earlier,
    `insert into account (id, type, username, email, created_at, updated_at)
       values ($1, 'organization', 'moved', 'moved@example.com', now(), now())`,
    [organization],
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ddp = (databaseUrl: string, ...args: string[]) =>
  runCommand(args, { DATABASE_URL: databaseUrl, SECRET_KEY: 'a key for this test alone', PORT: '0' });

describe('a database of an earlier build', () => {
  it.each([['serve'], ['migrate'], ['doctor']])(
    'makes ddp %s refuse it, with the commands that move it',
    async (command) => {
      const { code, stderr } = await ddp(earlier, command);
      expect(code).toBe(1);
      expect(stderr).toContain(
        'write its data to a file with `ddp backup` of that build, and fill a new database from the file with `ddp restore` of this one.',
      );
    },
  );

  it('moves by backup and restore', async () => {
    const file = join(folder, 'moved.backup');
    expect(await ddp(earlier, 'backup', file)).toMatchObject({ code: 0 });
    const moved = await createDatabase({ template: false });
    expect(await ddp(moved, 'restore', file)).toMatchObject({ code: 0 });
    expect((await execute(moved, 'select username as name from account')).rows).toEqual([{ name: 'moved' }]);
    expect(await ddp(moved, 'migrate')).toMatchObject({ code: 0 });
  });

  it('fails to restore if its schema is older than the baseline', async () => {
    const file = join(folder, 'older.backup');
    expect(await ddp(await createEarlier(first), 'backup', file)).toMatchObject({ code: 0 });
    const { code, stderr } = await ddp(await createDatabase({ template: false }), 'restore', file);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`the migration ${last}`) });
  });
});

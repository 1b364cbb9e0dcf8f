import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { itIf } from '../support/conditional.js';
import { useWorld } from '../support/world.js';

const world = useWorld();

const withOwnServer = itIf(
  process.env['DATABASE_URL'] === undefined,
  'the log of the server of DATABASE_URL cannot be read',
);

/** Returns the lines of PostgreSQL's log that contain the text. */
const logLines = async (text: string): Promise<string[]> => {
  const { rows } = await world.pool.query<{ data_directory: string }>('show data_directory');
  // Provokes an error and reads the log up to it, so that the log contains everything earlier.
  await world.pool.query('select $1::uuid + 1', ['00000000-0000-7000-8000-00000000aaaa']).catch(() => undefined);
  const log = await readFile(join(dirname(rows[0]!.data_directory), 'postgres.log'), 'utf8');
  expect(log).toContain('operator does not exist: uuid + integer');
  return log.split('\n').filter((line) => line.includes(text));
};

describe('conflict with an existing value', () => {
  withOwnServer("returns 409 for a registered serial without an error in PostgreSQL's log", async () => {
    const owner = await world.organization();
    const path = `/organizations/${owner.id}/devices`;
    const id = await owner.make(`${path}/7a-ce-d0-01`);
    expect(await owner.post(`${path}/7A-CED0-01`, {})).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', errors: [{ path: 'deviceSerial', message: `is taken by the device ${id}` }] },
    });
    expect(await logLines('7aced001')).toEqual([]);
  });

  withOwnServer(
    "fails for a taken user name or e-mail address, over REST and in createAccount, without an error in PostgreSQL's log",
    async () => {
      const owner = await world.organization();
      const login = `taken-${process.pid}`;
      const email = `${login}@example.com`;
      const create = (username: string, address: string) =>
        createAccount(world.pool, AccountType.user, { username, email: address }, new Date());
      await create(login, email);
      await expect(create(login.toUpperCase(), 'free@example.com')).rejects.toThrow(`The username ${login} is taken.`);
      const shouted = email.toUpperCase();
      await expect(create(`${login}-2`, shouted)).rejects.toThrow(`The e-mail address ${shouted} is taken.`);
      const put = (username: string, address: string) => owner.put('/account', { username, email: address });
      expect(await put(login, 'free@example.com')).toMatchObject({
        status: 409,
        body: { errors: [{ path: 'username', message: 'is taken' }] },
      });
      expect(await put(`${login}-2`, shouted)).toMatchObject({
        status: 409,
        body: { errors: [{ path: 'email', message: 'is taken' }] },
      });
      expect(await put(`${login}-2`, `own-${email}`)).toMatchObject({ status: 200 });
      expect(await put(`${login}-2`, `OWN-${email}`)).toMatchObject({ status: 200 });
      expect(await logLines(login)).toEqual([]);
    },
  );
});

import { describe, expect, it } from '@jest/globals';
import { createPool } from '#database/pools.js';
import { AccountType, Role } from '#entities/enums.js';
import { setDisabled } from '#operator/account.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { importing } from './imported.js';

let now = Date.UTC(2026, 10, 20, 12);
const world = useWorld({ clock: () => now });
const filesOf = (owner: AccountActor) => importing({ id: owner.id, owner });
const file = 'serial\ne2-01\n';

describe('DELETE /organizations/:organizationId/imports/:importId', () => {
  it('returns one 204 at once while a step locks the import, and delays nobody', async () => {
    const owner = await world.organization();
    const other = await world.organization();
    const files = filesOf(owner);
    const { id } = await files.whole('/devices', file);
    const pool = createPool(world.databaseUrl, { max: 1 });
    const step = await pool.connect();
    try {
      await step.query('begin');
      await step.query('select from file_import where id = $1 for no key update', [id]);
      const answers = await Promise.all(Array.from({ length: 30 }, () => owner.delete(`${files.at}/${id}`)));
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 404)).toHaveLength(29);
      expect((await owner.get(`${files.at}/${id}`)).status).toBe(404);
      expect((await filesOf(other).whole('/devices', file)).state).toBe('checked');
    } finally {
      await step.query('rollback');
      step.release();
      await pool.end();
    }
    const left = async () => (await world.pool.query('select from file_import where id = $1', [id])).rowCount;
    while ((await left()) !== 0);
  }, 30_000);
});

describe("limits of an organization's import files", () => {
  it('ignores unfinished uploads of a process that was killed', async () => {
    const owner = await world.organization();
    const files = filesOf(owner);
    await world.pool.query(
      `insert into file_import (id, organization_id, kind, format, options, state, bytes, created_at, updated_at)
       select gen_random_uuid(), $1, 'devices', 'csv', '{}', 'uploading', 0, $2, $2 from generate_series(1, 20)`,
      [owner.id, new Date(now)],
    );
    expect((await files.send('/devices', file)).status).toBe(409);
    now += 6 * 60_000;
    expect((await files.whole('/devices', file)).state).toBe('checked');
  });

  it('returns 409 beyond 2 GiB in total, including the rows of Parquet files', async () => {
    const owner = await world.organization();
    const files = filesOf(owner);
    const { id } = await files.whole('/devices', file);
    await world.pool.query('update file_import set unpacked = $2 where id = $1', [id, 2 ** 31 + 1]);
    expect(await files.send('/devices', file)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^The organization's files have more than 2048 MiB together/) },
    });
    expect((await owner.delete(`${files.at}/${id}`)).status).toBe(204);
    expect((await files.whole('/devices', file)).state).toBe('checked');
  });
});

describe('running import', () => {
  const fleet = `serial\n${Array.from({ length: 60_000 }, (_, index) => `e3-${`${index}`.padStart(6, '0')}`).join('\n')}\n`;
  /** Returns the error with which a job ends when `change` runs meanwhile. */
  const errorAfter = async (owner: AccountActor, member: AccountActor, change: () => Promise<unknown>) => {
    const { body } = await importing({ id: owner.id, owner: member }).send('/devices', fleet);
    const job = async () => {
      const { rows } = await world.pool.query<{ state: string; error: string | null; done: number }>(
        'select j.state, j.error, j.done::int as done from job j join file_import i on i.job_id = j.id where i.id = $1',
        [body.id],
      );
      return rows[0]!;
    };
    while ((await job()).done === 0);
    await change();
    for (;;) {
      const { state, error, done } = await job();
      expect(done).toBeLessThan(60_000);
      if (state !== 'running' && state !== 'pending') return error;
    }
  };

  it("stops when the organization's token that sent it is revoked", async () => {
    const owner = await world.organization();
    const revoke = () =>
      world.pool.query('update api_token set revoked_at = now() where organization_id = $1', [owner.id]);
    expect(await errorAfter(owner, owner, revoke)).toMatch(/^The token that this file was sent with is revoked/);
  });

  it('stops when the account of the member who sent it is disabled', async () => {
    const owner = await world.organization();
    const member = await world.member(owner, Role.owner);
    const disable = () => setDisabled(world.pool, AccountType.user, member.id, true, new Date());
    expect(await errorAfter(owner, member, disable)).toBe('The account that sent this file is disabled.');
  });

  it('stops when the organization is disabled', async () => {
    const owner = await world.organization();
    const disable = () => setDisabled(world.pool, AccountType.organization, owner.id, true, new Date());
    expect(await errorAfter(owner, owner, disable)).toBe('The account that sent this file is disabled.');
  });
});

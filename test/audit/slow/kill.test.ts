import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createToken } from '#operator/token.js';
import { ended, startCommand } from '../../support/command.js';
import { useDatabase } from '../../support/database.js';
import { AccountActor } from '../../support/world.js';

const database = useDatabase();
const rounds = 3;

/** Starts the service as a process of its own. */
async function startService() {
  const child = startCommand(['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRET_KEY: 'a key',
    RATE_LIMIT: '0',
  });
  let printed = '';
  for await (const part of child.stdout!) {
    printed += String(part);
    const [url] = /http:\/\/[\d.]+:\d+/.exec(printed) ?? [];
    if (url !== undefined) return { child, url };
  }
  throw new Error(`The service did not start: ${printed}`);
}

describe('a process that is killed', () => {
  it('leaves no event without its change, and no change without its event', async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 2 });
    const account = { username: 'killed', email: 'killed@example.com' };
    const id = await createAccount(pool, AccountType.organization, account, new Date());
    const { token } = await createToken(pool, { organizationId: id }, new Date());
    for (let round = 0; round < rounds; round++) {
      const { child, url } = await startService();
      const owner = new AccountActor(url, token, id);
      let answered = 0;
      const work = async (worker: number): Promise<void> => {
        for (let number = 0; ; number++) {
          const name = `${round} ${worker} ${number}`;
          const teamId = await owner.make(`/organizations/${id}/teams`, { name });
          await owner.put(`/teams/${id}/${teamId}`, { name: `${name} changed` });
          if (number % 3 === 0) await owner.delete(`/teams/${id}/${teamId}`);
          if (++answered === 150) child.kill('SIGKILL');
        }
      };
      await Promise.allSettled(Array.from({ length: 8 }, (_, worker) => work(worker)));
      await ended(child);
    }
    // Statements of the killed process may end a moment later.
    await pool
      .query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      .catch(() => undefined);
    await pool.end();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ created: number; wrong: number }>(
      `with told as (
         select target_id, bool_or(action = 'createTeam') as made, bool_or(action = 'updateTeam') as changed,
                bool_or(action = 'deleteTeam') as deleted
           from audit_event where target_kind = 'team' group by target_id)
       select count(*)::int as created,
              count(*) filter (where t.id is null and not told.deleted or t.id is not null and (told.deleted or told.target_id is null
                or not told.made or told.changed <> (t.name like '% changed')))::int as wrong
         from told full join team t on t.id = told.target_id`,
    );
    await client.end();
    expect(rows[0]!.created).toBeGreaterThanOrEqual(150 * rounds);
    expect(rows[0]!.wrong).toBe(0);
  });
});

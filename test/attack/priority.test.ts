import { getPriority } from 'node:os';
import { expect, it } from '@jest/globals';
import { useService } from '../support/service.js';
import { withDatabase } from '../support/tenant.js';

const service = useService();
/** Elsewhere the processes of the server may be another user's, on another machine. */
const onEmbedded = process.platform === 'linux' && process.env['DATABASE_URL'] === undefined ? it : it.skip;

onEmbedded('the processes of PostgreSQL that work for the pools of a service give way to it', async () => {
  const { rows } = await withDatabase(service, (db) =>
    db.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'ddp hooks'`,
    ),
  );
  expect(rows).not.toEqual([]);
  for (const { pid } of rows) expect(getPriority(pid)).toBe(10);
});

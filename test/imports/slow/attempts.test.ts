import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Client } from '../../support/client.js';
import { ended, startCommand } from '../../support/command.js';
import { useDatabase } from '../../support/database.js';
import { recordIndexSettings } from '../../support/record-index.js';
import { startTestService } from '../../support/start-service.js';
import { createTenant, Tenant, withDatabase } from '../../support/tenant.js';
import { type FileImport, importing } from '../imported.js';

const database = useDatabase();

/** Starts a service process on the test's database. */
const startProcess = async (): Promise<{ url: string; process: ChildProcess }> => {
  const started = startCommand(['serve', '--json'], {
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key for tests',
    PORT: '0',
    RATE_LIMIT: '0',
    ...recordIndexSettings(database.url),
  });
  const [line] = (await once(started.stdout!, 'data')) as [Buffer];
  return { url: (JSON.parse(line.toString()) as { url: string }).url, process: started };
};

describe('job whose process dies twice in the same step', () => {
  it('fails with a message and is not retried', async () => {
    const first = await startProcess();
    const of = { url: first.url, databaseUrl: database.url };
    const tenant = await createTenant(of);
    await withDatabase(of, async (holder) => {
      await withDatabase(of, async (db) => {
        // The step waits for this lock until its process is killed.
        await holder.query('begin; lock table device in share row exclusive mode');
        const begun = (await importing(tenant).send('/devices?dryRun=false', 'serial\nf1-01\n')).body;
        const waiting = async () =>
          (await db.query(`select from pg_locks where not granted and relation = 'device'::regclass`)).rowCount;
        for (const start of [() => Promise.resolve(first), startProcess]) {
          const { process } = await start();
          while ((await waiting()) === 0) await delay(20);
          process.kill('SIGKILL');
          await ended(process);
          await db.query(
            'select pg_terminate_backend(pid) from pg_locks where not granted and relation = $1::regclass',
            ['device'],
          );
          // Lets the lease expire.
          await db.query('update job set locked_until = null');
        }
        const third = await startTestService(database.url);
        try {
          const at = { url: third.url, databaseUrl: database.url };
          const there = new Tenant(at, tenant.id, new Client(`${third.url}/ddp/v1`, tenant.owner.token));
          const over = await importing(there).over({ ...begun, state: 'applying' } as FileImport);
          expect(over).toMatchObject({
            state: 'failed',
            job: { state: 'failed', error: expect.stringMatching(/^The process of this job ended twice/) },
          });
          await holder.query('rollback');
          // A new request, after the cause is fixed, creates another job.
          expect(await importing(there).apply(begun.id)).toMatchObject({ state: 'done', created: 1 });
        } finally {
          await third.close();
        }
      });
    });
  }, 120_000);
});

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { Client } from '../../support/client.js';
import { ended, startCommand } from '../../support/command.js';
import { useDatabase } from '../../support/database.js';
import { recordIndexSettings } from '../../support/record-index.js';
import { startTestService } from '../../support/start-service.js';
import { createTenant, Tenant, withDatabase } from '../../support/tenant.js';
import { counts, type FileImport, importing } from '../imported.js';

const database = useDatabase();

/** Milliseconds for which a dead process keeps its job, and a margin. */
const lease = 61_000;
const lines = 10_000;
const serial = (index: number) => `e0-${index.toString(16).padStart(6, '0')}`;
const fleet = `serial\n${Array.from({ length: lines }, (_, index) => serial(index)).join('\n')}\n`;
const history = `serial,ts,level\n${Array.from({ length: lines }, (_, index) => `e1-01,${1_714_000_000 + index},${index}`).join('\n')}\n`;

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

describe('import whose process is killed', () => {
  it.each([
    ['devices', fleet],
    ['records', history],
  ])(
    'continues in another process and stores each row once: %s',
    async (kind, file) => {
      const first = await startProcess();
      const tenant = await createTenant({ url: first.url, databaseUrl: database.url });
      const applicationId = (
        await tenant.owner.post<{ id: string }>(`/organizations/${tenant.id}/applications`, { name: 'All' })
      ).body.id;
      const device = await tenant.owner.post<{ id: string }>(`/organizations/${tenant.id}/devices/e1-01`, {});
      await tenant.owner.put(`/applications/${tenant.id}/${applicationId}/devices/${device.body.id}`);
      const files = importing(tenant);
      const begun = (await files.send(`/${kind}?dryRun=false`, file)).body;
      const at = `${files.at}/${begun.id}`;
      let seen = begun;
      while (seen.lines === 0) seen = (await tenant.owner.get<FileImport>(at)).body;
      first.process.kill('SIGKILL');
      await ended(first.process);
      const { rows } = await withDatabase({ url: first.url, databaseUrl: database.url }, (db) =>
        db.query<{ lines: number }>('select lines::int as lines from file_import where id = $1', [begun.id]),
      );
      expect(rows[0]!.lines).toBeLessThan(lines);

      const second = await startTestService(database.url, { clock: () => Date.now() + lease });
      try {
        const there = new Tenant(
          { url: second.url, databaseUrl: database.url },
          tenant.id,
          new Client(`${second.url}/ddp/v1`, tenant.owner.token),
        );
        const done = await importing(there).over((await there.owner.get<FileImport>(at)).body);
        expect(done.state).toBe('done');
        expect(counts(done)).toEqual({ lines, created: lines, updated: 0, unchanged: 0, rejected: 0, faultCount: 0 });
      } finally {
        await second.close();
      }
    },
    120_000,
  );
});

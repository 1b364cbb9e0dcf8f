import { describe, expect, it } from '@jest/globals';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { runCommand } from '../support/command.js';
import { endPoolsOf, poolOf } from '../support/connection.js';
import { createDatabase } from '../support/server.js';
import { useService } from '../support/service.js';

/** Creates the partitions, and holds the hooks of the tests. */
const service = useService({});

interface Finding {
  check: string;
  state: 'ok' | 'note' | 'wrong';
  says: string;
}

async function doctor(
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<{ code: number | null; stderr: string; findings: Finding[] }> {
  const outcome = await runCommand(['doctor', '--json'], {
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'a key for tests',
    ...settings,
  });
  const { findings } = JSON.parse(outcome.stdout) as { findings: Finding[] };
  return { code: outcome.code, stderr: outcome.stderr, findings };
}

/** The tests' server runs without durability, which the check reports as it would to an operator. */
const durable = 'settings of the database';

describe('ddp doctor of a running service', () => {
  it('reports the settings that lose committed data, and nothing else', async () => {
    const { code, stderr, findings } = await doctor(service.databaseUrl);
    const wrong = findings.filter(({ state }) => state === 'wrong');
    if (process.env['DATABASE_URL'] === undefined) {
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'One thing is wrong.\n' });
      expect(wrong).toEqual([{ check: durable, state: 'wrong', says: expect.stringMatching(/^fsync is off/) }]);
    }
    expect(findings.map(({ check }) => check)).toEqual([
      'schema',
      'disk',
      durable,
      'connections of the database',
      'clock',
      'vacuum',
      'indexes',
      'partitions',
      'deliveries',
      'circuits',
      'jobs',
      'rollups',
      'index on a cluster',
      'clocks of devices',
      'blocks',
      'alerts',
      'size',
      'secret key',
    ]);
  });

  it('compares the busiest day with what the cores take', async () => {
    const databaseUrl = await createDatabase();
    const id = await createAccount(
      poolOf(databaseUrl),
      AccountType.organization,
      { username: 'sized', email: 'sized@example.com' },
      new Date(),
    );
    const usage = (records: number) =>
      poolOf(databaseUrl).query(
        `insert into usage_day (organization_id, day, records, bytes, deliveries, calls)
         values ($1, (now() at time zone 'UTC')::date - 1, $2, 0, 0, 0)
         on conflict (organization_id, day, product_id, application_id) do update set records = excluded.records`,
        [id, records],
      );
    const size = async () => (await doctor(databaseUrl)).findings.find(({ check }) => check === 'size');
    expect(await size()).toMatchObject({ state: 'ok', says: 'no whole day with records in the last week' });
    await usage(86_400);
    expect(await size()).toMatchObject({
      state: 'ok',
      says: expect.stringMatching(
        /^1\.0 records a second on the busiest day of the week, .+ % of what \d+ cores take$/,
      ),
    });
    await usage(86_400_000_000);
    expect(await size()).toMatchObject({ state: 'note', says: expect.stringContaining('docs/sizing.md') });
    await endPoolsOf(databaseUrl);
  });

  it('names a standby that is away', async () => {
    const { findings } = await doctor(service.databaseUrl, { DATABASE_READ_URL: 'postgresql://ddp@127.0.0.1:1/ddp' });
    expect(findings).toContainEqual({
      check: 'standbys',
      state: 'wrong',
      says: '1 of 1 answer no reads; the primary does.',
      details: [expect.stringMatching(/^127\.0\.0\.1:1: .*ECONNREFUSED/)],
    });
  });

  it('reports an older schema, and reads no table', async () => {
    const { findings } = await doctor(await createDatabase({ template: false }));
    expect(findings).toContainEqual({
      check: 'schema',
      state: 'wrong',
      says: expect.stringMatching(/^\d+ migrations/),
    });
    expect(findings.map(({ check }) => check)).not.toContain('jobs');
  });

  it('names every invalid setting', async () => {
    const { code, stderr } = await runCommand(['doctor'], { DATABASE_URL: service.databaseUrl, PORT: 'x' });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/PORT .*\n.*SECRET_KEY/) });
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '#entities/id.js';
import { buildCustomer } from '../../hooks/customer.js';
import { runCommand } from '../../support/command.js';
import { createDatabase, execute } from '../../support/server.js';
import { useService } from '../../support/service.js';

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

const sql = (statement: string) => execute(service.databaseUrl, statement);

describe('ddp doctor with several faults', () => {
  let organization: string;
  let hookId: string;

  beforeEach(async () => {
    const customer = await buildCustomer(service);
    organization = customer.organizationId;
    const hook = { url: 'http://127.0.0.1:9/', authentication: { basic: { user: 'u', pass: 'p' } } };
    hookId = (await customer.hook(hook)).id;
  });

  it('reports each of them in one run', async () => {
    await sql(`update hook_state set circuit_until = now() + interval '1 hour' where hook_id = '${hookId}'`);
    await sql(`insert into job (id, organization_id, kind, state, input, created_at, updated_at)
      values ('${newId()}', '${organization}', 'unknown here', 'failed', '{}', now(), now())`);
    await sql(`insert into record_dirty (organization_id, hour, noted_at)
      values ('${newId()}', now() + interval '1 hour', now())`);
    await sql(`insert into index_dead_letter values ('${newId()}', '${organization}', 'too long', '{}')`);
    await sql(`update pg_index set indisvalid = false where indexrelid = 'job_turn'::regclass`);
    const { findings } = await doctor(service.databaseUrl, { SECRET_KEY: 'another key' });
    await sql(`update pg_index set indisvalid = true where indexrelid = 'job_turn'::regclass`);
    const states = Object.fromEntries(findings.map(({ check, state, says }) => [check, `${state}: ${says}`]));
    expect(states).toMatchObject({
      circuits: expect.stringMatching(/^note: 1 hooks fail/),
      'index on a cluster': expect.stringMatching(/^wrong: The cluster refuses 1 records/),
      indexes: expect.stringMatching(/^wrong: Invalid.*job_turn/),
      'secret key': expect.stringMatching(/^wrong: SECRET_KEY opens none/),
      jobs: expect.stringMatching(/^ok/),
      rollups: expect.stringMatching(/^ok/),
    });
  });
});

describe('ddp doctor of a database without a running process', () => {
  it('reports missing partitions, stuck deliveries, stuck jobs and waiting rollups', async () => {
    const url = await createDatabase();
    const run = (statement: string) => execute(url, statement);
    const [organization, application, hook, delivery] = [newId(), newId(), newId(), newId()];
    await run(`insert into account (id, type, username, email, created_at, updated_at)
      values ('${organization}', 'organization', 'acme', 'acme@example.com', now(), now())`);
    await run(`insert into application (id, organization_id, name, slug, created_at, updated_at)
      values ('${application}', '${organization}', 'a', 'a', now(), now())`);
    await run(`insert into hook (id, organization_id, application_id, url, created_at, updated_at)
      values ('${hook}', '${organization}', '${application}', 'http://127.0.0.1:9/', now(), now())`);
    await run(`insert into delivery (id, hook_id, organization_id, application_id, event, state, queued_at, next_attempt_at,
        max_attempts, payload, created_at, updated_at)
      values ('${delivery}', '${hook}', '${organization}', '${application}', 'record', 'pending', now(),
        now() - interval '3 hours', 10, '{}', now(), now())`);
    await run(`insert into job (id, organization_id, kind, state, input, created_at, updated_at)
      values ('${newId()}', '${organization}', 'redecode', 'running', '{}', now(), now() - interval '1 day')`);
    await run(`insert into record_dirty (organization_id, hour, noted_at)
      values ('${organization}', now() - interval '1 day', now() - interval '1 day')`);
    await run(`insert into record_batch (organizations, low, high, records, bytes, created_at)
      values ('{}', '${newId()}', '${newId()}', 1, 1, now() - interval '1 hour')`);
    const { code, findings } = await doctor(url);
    expect(code).toBe(1);
    const says = Object.fromEntries(findings.map(({ check, state, says }) => [check, `${state}: ${says}`]));
    expect(says).toMatchObject({
      partitions: expect.stringMatching(/^wrong: .*deliveries of tomorrow/),
      deliveries: expect.stringMatching(/^wrong: The oldest that is due has waited for 3 hours/),
      jobs: expect.stringMatching(/^wrong: 1 have not advanced for up to 24 hours/),
      rollups: expect.stringMatching(/^wrong: Hours have waited for 24 hours/),
      'index on a cluster': expect.stringMatching(/^wrong: Records have waited for 60 minutes/),
    });
  });
});

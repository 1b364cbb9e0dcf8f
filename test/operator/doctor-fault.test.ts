import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createPool } from '../../src/database/pools.js';
import { examine } from '../../src/operator/doctor/doctor.js';
import { buildCustomer } from '../hooks/customer.js';
import { execute } from '../support/server.js';
import { useService } from '../support/service.js';

const service = useService();
let pool: pg.Pool;
beforeAll(() => {
  pool = createPool(service.databaseUrl, { max: 1 });
});
afterAll(() => pool.end());

const sql = (statement: string) => execute(service.databaseUrl, statement);

/** What ddp doctor says of each thing, looked at with such a clock. */
async function examined(now = new Date()): Promise<Readonly<Record<string, string>>> {
  const checkSecretKey = () => Promise.resolve();
  const findings = await examine({ database: pool, now, dataDir: undefined, pending: [], checkSecretKey });
  return Object.fromEntries(findings.map(({ check, state, says }) => [check, `${state}: ${says}`]));
}

describe('ddp doctor', () => {
  it('finds a clock that is not that of the database', async () => {
    expect(await examined()).toMatchObject({ clock: expect.stringMatching(/^ok/) });
    const later = new Date(Date.now() + 3 * 3_600_000);
    expect(await examined(later)).toMatchObject({ clock: expect.stringMatching(/^wrong: .* hours apart/) });
  });

  it('notes an index of a large table that nobody uses', async () => {
    await sql('create index unused_here on deleted_hook (deleted_at)');
    await sql(`update pg_class set reltuples = 200000 where oid = 'deleted_hook'::regclass`);
    expect(await examined()).toMatchObject({ indexes: expect.stringMatching(/^note: .*unused_here/) });
    await sql('drop index unused_here');
  });

  describe('with a hook', () => {
    let hookId: string;
    let organizationId: string;
    let applicationId: string;

    beforeEach(async () => {
      const customer = await buildCustomer(service);
      ({ organizationId, applicationId } = customer);
      hookId = (await customer.hook({ url: 'http://127.0.0.1:9/' })).id;
    });

    it('notes that it was switched off because it kept failing', async () => {
      await sql(`update hook set disabled = true, disabled_reason = 'failing' where id = '${hookId}'`);
      expect(await examined()).toMatchObject({ circuits: expect.stringMatching(/^note: 1 hooks were switched off/) });
    });

    it('finds deliveries that lie in no day of their own', async () => {
      await sql(`insert into delivery (id, hook_id, organization_id, application_id, event, state, done, queued_at,
          next_attempt_at, max_attempts, payload, created_at, updated_at)
        values (delivery_bound('2020-01-01'), '${hookId}', '${organizationId}', '${applicationId}', 'record', 'succeeded', true, now(), now(),
          10, '{}', '2020-01-01', '2020-01-01')`);
      expect(await examined()).toMatchObject({ partitions: expect.stringMatching(/^wrong: Deliveries lie in no day/) });
    });
  });
});

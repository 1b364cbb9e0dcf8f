import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createPool } from '#database/pools.js';
import { newId } from '#entities/id.js';
import { type DoctorOptions, examine } from '#operator/doctor/doctor.js';
import { buildCustomer } from '../hooks/customer.js';
import { itIf } from '../support/conditional.js';
import { createDatabase, execute } from '../support/server.js';
import { useService } from '../support/service.js';

const service = useService({});
let pool: pg.Pool;
beforeAll(() => {
  pool = createPool(service.databaseUrl, { max: 1 });
});
afterAll(() => pool.end());

const sql = (statement: string) => execute(service.databaseUrl, statement);

/** The folder, time and connection that the check uses. */
type Where = Pick<DoctorOptions, 'now' | 'dataDir' | 'database' | 'sendsMail'>;

const checkSecretKey = () => Promise.resolve();

/** Returns the message of ddp doctor for each check. */
async function examined({
  now = new Date(),
  dataDir,
  database = pool,
  sendsMail = true,
}: Partial<Where> = {}): Promise<Readonly<Record<string, string>>> {
  const findings = await examine({ database, now, dataDir, pending: [], sendsMail, checkSecretKey });
  return Object.fromEntries(findings.map(({ check, state, says }) => [check, `${state}: ${says}`]));
}

describe('ddp doctor', () => {
  it("reports a clock that differs from the database's", async () => {
    expect(await examined()).toMatchObject({ clock: expect.stringMatching(/^ok/) });
    const later = new Date(Date.now() + 3 * 3_600_000);
    expect(await examined({ now: later })).toMatchObject({ clock: expect.stringMatching(/^wrong: .* hours apart/) });
  });

  it('notes an unused index of a large table', async () => {
    await sql('create index unused_here on deleted_hook (deleted_at)');
    await sql(`update pg_class set reltuples = 200000 where oid = 'deleted_hook'::regclass`);
    expect(await examined()).toMatchObject({ indexes: expect.stringMatching(/^note: .*unused_here/) });
    await sql('drop index unused_here');
  });

  // /proc is a file system without free space.
  itIf(existsSync('/proc'), 'there is no /proc')('reports a disk with little space', async () => {
    expect(await examined({ dataDir: '/proc' })).toMatchObject({
      disk: expect.stringMatching(/^wrong: Only .* make room/),
    });
  });

  it('reports a transaction that has been open for hours', async () => {
    const other = await pool.connect();
    await other.query('begin; select 1');
    const second = createPool(service.databaseUrl, { max: 1 });
    const now = new Date(Date.now() + 3 * 3_600_000);
    expect(await examined({ database: second, now })).toMatchObject({
      vacuum: expect.stringMatching(/^wrong: A transaction has been open for .* hours/),
    });
    await other.query('rollback');
    other.release();
    await second.end();
  });

  it('reports transaction ids that are half used up', async () => {
    const client = await pool.connect();
    await client.query('begin');
    await client.query(`update pg_database set datfrozenxid = ((txid_current() - 1100000000 + 4294967296) % 4294967296)::text::xid
      where datname = current_database()`);
    expect(await examined({ database: client })).toMatchObject({
      vacuum: expect.stringMatching(/^wrong: Transaction numbers are half used up/),
    });
    await client.query('rollback');
    client.release();
  });

  it('reports settings that lose answers in a crash, or let the database grow without end', async () => {
    const client = await pool.connect();
    await client.query('begin; set local synchronous_commit = off; set local track_counts = off');
    expect((await examined({ database: client }))['settings of the database']).toMatch(
      /^wrong: .*track_counts is off: autovacuum does nothing.*synchronous_commit is off: the last answers/,
    );
    await client.query('rollback');
    client.release();
  });

  it('reports a check that failed, and runs the others', async () => {
    const url = await createDatabase();
    await execute(url, 'drop table index_dead_letter');
    const damaged = createPool(url, { max: 1 });
    expect(await examined({ database: damaged })).toMatchObject({
      'check of the database': expect.stringMatching(/^wrong: It failed: .*index_dead_letter/),
      jobs: expect.stringMatching(/^ok/),
      'secret key': expect.stringMatching(/^ok/),
    });
    await damaged.end();
  });

  describe('ddp doctor on hooks and alerts', () => {
    let hookId: string;
    let organizationId: string;
    let applicationId: string;
    const ruleId = newId();

    beforeEach(async () => {
      const customer = await buildCustomer(service);
      ({ organizationId, applicationId } = customer);
      hookId = (await customer.hook({ url: 'http://127.0.0.1:9/' })).id;
    });

    it('notes hooks that were disabled after failures', async () => {
      await sql(`update hook set disabled = true, disabled_reason = 'failing' where id = '${hookId}'`);
      expect(await examined()).toMatchObject({ circuits: expect.stringMatching(/^note: 1 hooks were switched off/) });
    });

    it('names failing hooks with application, address without path, reason, last answer and time', async () => {
      const { applicationId, hook, send } = await buildCustomer(service);
      const { id } = await hook({ url: 'http://127.0.0.1:9/a-secret?key=k' });
      await send();
      const isTried = async () =>
        (await pool.query('select from delivery where hook_id = $1 and attempts_made > 0', [id])).rowCount === 1;
      while (!(await isTried()));
      await sql(`update hook_state set failures_in_row = 12, circuit_openings = 1, failing_since = '2026-01-02T03:04:05Z',
        circuit_until = now() + interval '1 hour' where hook_id = '${id}'`);
      const lineOf = async () => {
        const findings = await examine({
          database: pool,
          now: new Date(),
          dataDir: undefined,
          pending: [],
          sendsMail: true,
          checkSecretKey,
        });
        return findings.flatMap(({ details = [] }) => details).find((detail) => detail.includes(id));
      };
      const named = `hook ${id} of the application "Field" (${applicationId}) to http://127.0.0.1:9`;
      const latest = 'the last one with BLOCKED, since 2026-01-02T03:04:05.000Z';
      expect(await lineOf()).toBe(`${named}: circuit open, 12 calls in a row failed, ${latest}`);
      await sql(`update hook set disabled = true, disabled_reason = 'gone' where id = '${id}'`);
      expect(await lineOf()).toBe(`${named}: switched off, its receiver answered 410, ${latest}`);
    });

    it('names devices whose clock runs ahead', async () => {
      const { organizationId: own, serial, deviceId, call } = await buildCustomer(service);
      expect(await examined()).toMatchObject({ 'clocks of devices': 'ok: no record lies ahead' });
      const ts = Date.now() / 1000 + 23.05 * 3600;
      await call('POST', `/organizations/${own}/records`, { serial, ts, data: { t: 1 } });
      expect(await examined()).toMatchObject({ 'clocks of devices': expect.stringMatching(/^note: 1 devices/) });
      const findings = await examine({
        database: pool,
        now: new Date(),
        dataDir: undefined,
        pending: [],
        sendsMail: true,
        checkSecretKey,
      });
      const line = `device ${serial} (${deviceId}) of o${own.slice(-12)}: 23.0 h ahead when it sent its newest record`;
      expect(findings.flatMap(({ details = [] }) => details)).toContain(line);
    });

    it('reports rules with records that wait for a decision for more than a minute', async () => {
      const { organizationId: own, applicationId: watched, deviceId, call } = await buildCustomer(service);
      const when = { query: { range: { 'data.t': { gt: 8 } } } };
      const rule = { name: 'Warm', kind: 'threshold', when };
      const { body } = await call<{ id: string }>('POST', `/applications/${own}/${watched}/alert-rules`, rule);
      const waitingFor = async (seconds: number) => {
        const client = await pool.connect();
        await client.query(`begin;
          insert into alert_state (rule_id, application_id, device_id, started_at)
          values ('${body.id}', '${watched}', '${deviceId}', now()) on conflict do nothing;
          insert into alert_undecided (device_id, rule_id, record_id, ts, data, noted_at)
          values ('${deviceId}', '${body.id}', '${newId()}', now(), '{}', now() - interval '${seconds} s');
          insert into alert_backlog (rule_id, due_at) values ('${body.id}', now())`);
        const { alerts } = await examined({ database: client });
        await client.query('rollback');
        client.release();
        return alerts;
      };
      expect(await waitingFor(50)).toBe('ok: no rule was switched off, no e-mail fails');
      expect(await waitingFor(70)).toMatch(/^note: 1 rules have yet to decide records, since 20.*Z: their queries get/);
      await call('DELETE', `/applications/${own}/${watched}/alert-rules/${body.id}`);
    });

    it('reports disabled alert rules, and mails that fail or are not sent', async () => {
      expect(await examined()).toMatchObject({ alerts: 'ok: no rule was switched off, no e-mail fails' });
      await sql(`
        insert into alert_rule (id, organization_id, application_id, name, severity, kind, silent_for_seconds, recipients,
                                created_at, updated_at)
        values ('${ruleId}', '${organizationId}', '${applicationId}', 'Silent', 'info', 'silence', 60, '{a@example.com}', now(), now());
        insert into alert_recipient (id, organization_id, address, state, since, last_error, failures, failing_since)
        values ('${ruleId}', '${organizationId}', 'a@example.com', 'confirmed', now(), '451 Try later', 3, now())`);
      expect(await examined()).toMatchObject({
        alerts: expect.stringMatching(/^wrong: E-mail to 1 addresses fails since .*, the last with: 451 Try later$/),
      });
      expect(await examined({ sendsMail: false })).toMatchObject({
        alerts: expect.stringMatching(/^note: 1 rules name recipients of e-mail, and SMTP_URL is not set/),
      });
      await sql(
        `delete from alert_recipient; update alert_rule set disabled = true, disabled_at = now(), disabled_reason = 'timeout'`,
      );
      const findings = await examine({
        database: pool,
        now: new Date(),
        dataDir: undefined,
        pending: [],
        sendsMail: true,
        checkSecretKey,
      });
      expect(findings.find(({ check }) => check === 'alerts')).toMatchObject({
        state: 'note',
        details: [expect.stringMatching(new RegExp(`^rule "Silent" \\(${ruleId}\\) of the application "Field"`))],
      });
    });

    it('reports deliveries outside any daily partition', async () => {
      await sql(`insert into delivery (id, hook_id, organization_id, application_id, event, state, done, queued_at,
          next_attempt_at, max_attempts, payload, created_at, updated_at)
        values (delivery_bound('2020-01-01'), '${hookId}', '${organizationId}', '${applicationId}', 'record', 'succeeded', true, now(), now(),
          10, '{}', '2020-01-01', '2020-01-01')`);
      expect(await examined()).toMatchObject({
        partitions: expect.stringMatching(/^wrong: Deliveries lie in the default partition/),
      });
    });
  });
});

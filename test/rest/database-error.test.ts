import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLog } from '#common/log.js';
import { useService } from '../support/service.js';
import { createTenant, type Tenant, withDatabase } from '../support/tenant.js';

let logged = '';
const service = useService({ log: createLog('info', { write: (line) => void (logged += line) }) });
let tenant: Tenant;
let records: string;
let teams: string;

beforeAll(async () => {
  tenant = await createTenant(service);
  records = `/organizations/${tenant.id}/records`;
  teams = `/organizations/${tenant.id}/teams`;
  await tenant.owner.post(`/organizations/${tenant.id}/devices/01`, {});
});

/** Makes every statement that stores a team or a record fail with the SQLSTATE while `work` runs. */
async function whileFailing<Result>(code: string, work: () => Promise<Result>): Promise<Result> {
  const tables = ['team', 'record_dirty'];
  await withDatabase(service, async (db) => {
    await db.query(`create or replace function fail() returns trigger language plpgsql as
      $$ begin raise exception 'the reason of ${code}' using errcode = '${code}'; end $$`);
    for (const table of tables)
      await db.query(`create trigger fail before insert on ${table} for each statement execute function fail()`);
  });
  try {
    return await work();
  } finally {
    await withDatabase(service, async (db) => {
      for (const table of tables) await db.query(`drop trigger fail on ${table}`);
    });
  }
}

describe('database errors over REST', () => {
  it.each([
    ['the disk is full', '53100', 503],
    ['the disk fails', '58030', 503],
    ['too many connections', '53300', 503],
    ['the server stops', '57P01', 503],
    ['the server crashed', '57P02', 503],
    ['the server is a standby', '25006', 503],
    ['a deadlock', '40P01', 503],
    ['a serialization failure', '40001', 503],
    ['a statement timeout', '57014', 504],
    ['a lock timeout', '55P03', 504],
    ['an unknown error', 'XX000', 500],
  ])('returns the matching status when the database reports: %s (%s is %i)', async (_, code, status) => {
    const answers = await whileFailing(code, () =>
      Promise.all([
        tenant.owner.post(teams, { name: 'A team' }),
        ...Array.from({ length: 5 }, () => tenant.owner.post(records, { serial: '01', data: { n: 1 } })),
      ]),
    );
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain('the reason');
    // The operator finds the reason in the log.
    if (status !== 504) expect(logged).toContain(`the reason of ${code}`);
    expect((await tenant.owner.post(records, { serial: '01', data: { n: 2 } })).body).toMatchObject({ accepted: 1 });
  });
});

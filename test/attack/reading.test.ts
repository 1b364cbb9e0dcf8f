import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from '../support/service.js';
import { createTenant, type Tenant, withDatabase } from '../support/tenant.js';

const service = useService({});
const devices = 60_000;
let attacker: Tenant;

beforeAll(async () => {
  attacker = await createTenant(service);
  await withDatabase(service, async (db) => {
    await db.query(
      `insert into device (id, organization_id, serial, name, slug, created_at, updated_at)
       select gen_random_uuid(), $1, 'serial-' || n, 'device ' || n, 'slug-' || n, now(), now()
         from generate_series(1, ${devices}) n`,
      [attacker.id],
    );
    await db.query('analyze device');
  });
}, 180_000);

describe('REST list of 60,000 devices', () => {
  it('returns the exact total', async () => {
    const { status, headers } = await attacker.owner.get(`/organizations/${attacker.id}/devices?limit=1`);
    expect(status).toBe(200);
    expect(headers.get('x-total-count')).toBe(`${devices}`);
  });
});

describe('q pattern', () => {
  it.each([
    ['with a back-reference', '(a|b)\\1', 'q must not have back-references.'],
    ['with nested repetitions', '((a?){50}b?){50}', 'nested repetitions'],
    ['with nested repetitions of brackets', '([]a]{0,40}[[:digit:]]?){40}', 'nested repetitions'],
    ['with large nested repetitions', '(((ab){50}c){50}d){5}', 'nested repetitions'],
    ['with a comment before its repetition', '(a{50})(?#){50}', 'must not have comments'],
    ['in basic syntax', '(?b)\\(a\\)', 'must not have comments, nor the options b, e, q and x'],
    [
      'in extended syntax, where brackets hide its repetitions',
      '(?e)[\\]((a?){100}){100}]',
      'nor the options b, e, q and x',
    ],
    ['with an escape in extended syntax', '(?e)\\bserial', 'nor the options b, e, q and x'],
    ['behind ***:', '***:(?e)\\bserial', 'must not begin with ***:'],
    ['with an escape in a literal', '(?q)\\bserial', 'nor the options b, e, q and x'],
  ])('returns 422 for a pattern %s', async (_, pattern, reason) => {
    const { status, body } = await attacker.owner.get<{ message: string }>(
      `/organizations/${attacker.id}/devices?q=${encodeURIComponent(pattern)}`,
    );
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain(reason);
  });

  it('accepts moderate repetitions, escapes and groups', async () => {
    const { owner, id } = await createTenant(service);
    await owner.post(`/organizations/${id}/devices/aa`, { name: 'serial-512' });
    await owner.post(`/organizations/${id}/devices/bb`, { name: 'serial-abc' });
    const pattern = '^serial-[]5-9]{1,3}\\\\?(1|[[:digit:]]{2})$';
    const { status, headers } = await owner.get(`/organizations/${id}/devices?q=${encodeURIComponent(pattern)}`);
    expect(status).toBe(200);
    expect(headers.get('x-total-count')).toBe('1');
  });
});

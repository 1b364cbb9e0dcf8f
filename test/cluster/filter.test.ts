import { describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { useWorld } from '../support/world.js';

const world = useWorld({});

/** Records that are in the journal beforehand. */
const stored = 50_000;

/** Returns how many journal rows PostgreSQL has inserted, and how many it has read in sequential scans. */
const journal = async () => {
  const { rows } = await world.pool.query<{ inserted: number; read: number }>(`
    select sum(n_tup_ins)::int as inserted, sum(seq_tup_read)::int as read
      from pg_stat_user_tables where schemaname = 'journal' and relname like 'record\\_%'`);
  return rows[0]!;
};

describe('hook filter with records on a cluster', () => {
  it('reads only the records that it judges, even in a new journal partition without statistics', async () => {
    const organization = await world.organization();
    const { id } = organization;
    const applicationId = await organization.make(`/organizations/${id}/applications`, { name: 'a' });
    const deviceId = await organization.make(`/organizations/${id}/devices/a1`);
    await organization.put(`/applications/${id}/${applicationId}/devices/${deviceId}`);
    const hooks = `/applications/${id}/${applicationId}/hooks`;
    const hookId = await organization.make(hooks, { url: 'http://127.0.0.1:9/' });
    const filter = { query: { range: { 'data.n': { gt: 1000 } } } };
    expect((await organization.put(`${hooks}/${hookId}/settings`, { filter })).status).toBe(200);
    const items = Array.from({ length: 300 }, (_, n) => ({ serial: 'a1', data: { n } }));
    const post = async () => expect((await organization.post(`/organizations/${id}/records`, items)).status).toBe(200);
    await post();
    const { rows } = await world.pool.query<{ part: string }>(
      'select tableoid::regclass::text as part from journal.record limit 1',
    );
    const [{ part }] = rows as [{ part: string }];
    await world.pool.query(`alter table ${part} set (autovacuum_enabled = false)`);
    await world.pool.query(
      `insert into journal.record (id, organization_id, device_id, ts, metadata, data)
       select overlay(last::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, $1, $2, now(), '{}', '{"n": 1}'
         from generate_series(1, $3::int) n, (select id as last from journal.record order by id desc limit 1) r`,
      [id, deviceId, stored],
    );
    await until(async () => (await journal()).inserted >= stored + items.length);
    const before = await journal();
    await post();
    await until(async () => (await journal()).inserted >= before.inserted + items.length);
    expect((await journal()).read - before.read).toBeLessThan(stored);
    expect((await world.pool.query('select from delivery')).rows).toEqual([]);
  }, 120_000);
});

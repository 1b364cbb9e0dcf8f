import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import sql from 'sql-template-tag';
import { until } from '../support/until.js';
import { useWorld } from '../support/world.js';

const world = useWorld({});

/** Statements about alerts that the service sends on its own. */
const sent: string[] = [];
const { query } = pg.Client.prototype;
beforeAll(() => {
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]): unknown {
      const [first] = args;
      const text = typeof first === 'string' ? first : (first as { text: string }).text;
      if (/alert_(?!mail|recipient)|event_notice|episode/.test(text)) sent.push(text);
      return Reflect.apply(query, this, args);
    },
  });
});
afterAll(() => {
  Object.assign(pg.Client.prototype, { query });
});

describe('poll for due alerts', () => {
  it('sends one statement when nothing is due', async () => {
    const looks = () => sent.filter((text) => text.includes('with beaten as'));
    // The first poll writes the first heartbeat.
    await until(() => looks().length >= 2);
    sent.length = 0;
    await until(() => sent.length >= 2);
    expect(sent).toEqual(looks());
  });

  it('writes the heartbeat, and an outage when the heartbeat stood still', async () => {
    const heartbeat = async () => {
      const { rows } = await world.pool.query<{ at: Date }>(sql`select at from alert_heartbeat`);
      return new Date(rows[0]!.at).getTime();
    };
    const before = await heartbeat();
    await until(async () => (await heartbeat()) > before);
    await world.pool.query(sql`update alert_heartbeat set at = now() - interval '1 h'`);
    const outages = sql`select from alert_outage where ended_at - begun_at between interval '59 min' and interval '61 min' limit 1`;
    await until(async () => (await world.pool.query(outages)).rowCount === 1);
    expect(await heartbeat()).toBeGreaterThan(Date.now() - 15_000);
  });

  it('excludes from a silence the time in which no process accepted records', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/c0-01`);
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
    const rule = { name: 'Silent', kind: 'silence', silentFor: 60 };
    await owner.make(`/applications/${owner.id}/${applicationId}/alert-rules`, rule);
    // The device was linked half a minute before an outage of an hour, which ends now.
    await world.pool.query(sql`
      with stopped as (update alert_heartbeat set at = now() - interval '1 h')
      update alert_state set started_at = now() - interval '1 h 30 s', due_at = now() - interval '59 min 30 s'
       where device_id = ${deviceId}`);
    const isLater = sql`select from alert_state where device_id = ${deviceId} and due_at > now() + interval '15 s'`;
    await until(async () => (await world.pool.query(isLater)).rowCount === 1);
    const episodes = await owner.get(`/applications/${owner.id}/${applicationId}/episodes`);
    expect(episodes.body).toEqual([]);
  });

  it('deletes episodes 400 days after their last change', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    await world.pool.query(sql`
      insert into episode (id, organization_id, application_id, rule_id, rule_name, severity, device_id, opened_at, closed_at,
                           closed_reason, created_at, updated_at)
      select gen_random_uuid(), ${owner.id}, ${applicationId}, gen_random_uuid(), 'Old', 'info', gen_random_uuid(), now(),
             now(), 'cleared', now(), now() - age from unnest('{399 d,401 d}'::interval[]) age`);
    const path = `/applications/${owner.id}/${applicationId}/episodes`;
    const count = async () => (await owner.get<object[]>(path)).body.length;
    await until(async () => (await count()) < 2);
    expect(await count()).toBe(1);
  });
});

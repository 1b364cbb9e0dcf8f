import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { expire, mergeCounts } from '#alerts/mail/upkeep.js';
import { dayMs } from '#common/time.js';
import { newId } from '#entities/id.js';
import { until } from '../support/until.js';
import { someAddress, useMailWorld } from './mail-world.js';

const world = useMailWorld();

describe('confirmation mails of alerts', () => {
  it('waits for the next day after 50 mails of an organization, without a delay for other organizations', async () => {
    const [site, other] = [await world.site(), await world.site()];
    const [asked, late, neighbour] = [someAddress(), someAddress(), someAddress()];
    await site.rule([asked]);
    await world.mailsTo(asked, 1);
    const counted = sql`select from alert_mail_day where organization_id = ${site.owner.id} and asked = 1`;
    await until(async () => (await world.pool.query(counted)).rowCount === 1);
    await world.pool.query(sql`update alert_mail_day set asked = 50 where organization_id = ${site.owner.id}`);
    await site.rule([late]);
    await other.rule([neighbour]);
    await world.mailsTo(neighbour, 1);
    expect(await world.mailsTo(late, 0)).toEqual([]);
    await world.advance(dayMs);
    await world.mailsTo(late, 1);
  });
});

describe('mail addresses of an organization', () => {
  it('returns 409 beyond 1,000 addresses, including those that no rule names any more', async () => {
    const site = await world.site();
    const [known, unknown] = [someAddress(), someAddress()];
    await site.rule([known]);
    await world.pool.query(sql`
      insert into alert_recipient (id, organization_id, address, state, since)
      select gen_random_uuid(), ${site.owner.id}, 'a' || n || '@example.com', 'pending', now() from generate_series(1, 999) n`);
    const rule = (recipients: string[]) => ({ name: 'Silent', kind: 'silence', silentFor: 60, recipients });
    const rules = `${site.path}/alert-rules`;
    const refused = await site.owner.post<{ message: string }>(rules, rule([unknown]));
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('at most 1000') } });
    expect((await site.owner.post(rules, rule([known.toUpperCase(), 'A999@example.com']))).status).toBe(200);
    expect((await site.owner.get<object[]>(rules)).body).toHaveLength(2);
  });

  it('deletes an unconfirmed address a week after the last rule stopped naming it', async () => {
    const site = await world.site();
    const [named, pending, confirmed] = [someAddress(), someAddress(), someAddress()];
    await site.rule([named]);
    await world.pool.query(sql`
      insert into alert_recipient (id, organization_id, address, state, since) values
      (${newId()}, ${site.owner.id}, ${pending}, 'pending', now()), (${newId()}, ${site.owner.id}, ${confirmed}, 'confirmed', now())`);
    const left = async () =>
      (
        await world.pool.query<{ address: string }>(
          sql`select address from alert_recipient where organization_id = ${site.owner.id}`,
        )
      ).rows.map(({ address }) => address);
    await world.mailsTo(named, 1);
    await until(async () => {
      const { rowCount } = await world.pool.query(
        sql`select from alert_recipient where address = ${named} and asked_at is not null`,
      );
      return rowCount === 1;
    });
    await expire(world.pool, Date.now() + 6 * dayMs);
    expect((await left()).toSorted()).toEqual([named, pending, confirmed].toSorted());
    await expire(world.pool, Date.now() + 8 * dayMs);
    expect((await left()).toSorted()).toEqual([named, confirmed].toSorted());
  });
});

describe('counting notices of alerts', () => {
  it('merges the notices of an address into one row with their sum, unless a process is sending to it', async () => {
    const site = await world.site();
    const [waiting, sending] = [newId(), newId()];
    await world.pool.query(sql`
      insert into alert_recipient (id, organization_id, address, state, since, next_at, locked_until)
      select id, ${site.owner.id}, id || '@example.com', 'confirmed', now(), now() + interval '30 d',
             case when id = ${sending} then now() + interval '30 d' end from unnest(array[${waiting}, ${sending}]::uuid[]) id`);
    await world.pool.query(sql`
      insert into alert_mail (recipient_id, count, created_at)
      select id, n, now() from unnest(array[${waiting}, ${sending}]::uuid[]) id, generate_series(1, 101) n`);
    await mergeCounts(world.pool, new Date());
    const { rows } = await world.pool.query(sql`
      select recipient_id id, count(*)::int as rows, sum(count)::int sum from alert_mail
       where recipient_id in (${waiting}, ${sending}) group by recipient_id order by rows`);
    expect(rows).toEqual([
      { id: waiting, rows: 1, sum: 5151 },
      { id: sending, rows: 101, sum: 5151 },
    ]);
    await world.pool.query(sql`delete from alert_mail where recipient_id in (${waiting}, ${sending})`);
  });
});

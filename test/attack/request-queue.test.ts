import { beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { createPool } from '#database/pools.js';
import { Actor } from '../support/actor.js';
import { useService } from '../support/service.js';
import { createTenant, type Tenant } from '../support/tenant.js';
import { SlowSender } from './slow-sender.js';

const service = useService({ config: { requestsAtOnce: 1, http: { ...readConfig({}).http, perAddress: 0 } } });
let busy: Tenant;
let other: Tenant;
beforeAll(async () => {
  [busy, other] = [await createTenant(service), await createTenant(service)];
});

/** Starts to create a team, which blocks until `release` is called. */
async function createSlowly(tenant: Tenant) {
  const pool = createPool(service.databaseUrl, { max: 2 });
  const client = await pool.connect();
  await client.query('begin; lock table team in exclusive mode');
  const answer = tenant.owner.post(`/organizations/${tenant.id}/teams`, { name: 'T' });
  const waiting = async () =>
    (
      await pool.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
          and query ~ 'team'`,
      )
    ).rowCount;
  while ((await waiting()) === 0);
  return {
    answer,
    async release() {
      await client.query('rollback');
      client.release();
      await pool.end();
    },
  };
}

describe('concurrent requests of one organization', () => {
  it('queues a second request of the same kind, and answers other kinds and other organizations', async () => {
    const { answer, release } = await createSlowly(busy);
    const answered: string[] = [];
    const first = answer.then(() => answered.push('first'));
    const second = busy.owner.get('/account').then(() => answered.push('second'));
    const graph = await new Actor(service.url, busy.owner.token).graph('{ account { id } }');
    expect([graph.status, (await other.owner.get('/account')).status]).toEqual([200, 200]);
    expect(answered).toEqual([]);
    await release();
    await Promise.all([first, second]);
    expect(answered).toEqual(['first', 'second']);
  });

  it('excludes a request whose body is still arriving', async () => {
    const headers = { Authorization: `Bearer ${busy.owner.token}`, 'Content-Type': 'application/json' };
    const sender = await SlowSender.to(service.url);
    sender.begin(`/ddp/v1/organizations/${busy.id}/records`, headers).chunk(Buffer.from('['));
    const path = `/organizations/${busy.id}/records`;
    expect((await busy.owner.post(path, [])).status).toBe(200);
    sender.chunk(Buffer.from(']')).end();
    expect(await sender.status()).toBe(200);
    sender.leave();
  });

  it('drops a queued request when its client goes away', async () => {
    const { answer, release } = await createSlowly(busy);
    const gone = await SlowSender.to(service.url);
    gone.socket.write(
      `GET /ddp/v1/account HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${busy.owner.token}\r\n\r\n`,
    );
    gone.leave();
    await gone.closed();
    await release();
    expect((await answer).status).toBe(200);
    expect((await busy.owner.get('/account')).status).toBe(200);
  });

  it('returns 429 when 1,000 requests wait', async () => {
    const { answer, release } = await createSlowly(busy);
    const statuses = new Map<number, number>();
    const count = ({ status }: { status: number }) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const answers = Array.from({ length: 1010 }, () => busy.owner.get('/account').then(count));
    await Promise.race(answers);
    await release();
    await Promise.all([answer, ...answers]);
    expect(statuses.get(429)).toBeGreaterThan(0);
    expect((statuses.get(200) ?? 0) + (statuses.get(429) ?? 0)).toBe(1010);
  }, 30_000);
});

import { describe, expect, it } from '@jest/globals';
import { createLog } from '#common/log.js';
import { createPool } from '#database/pools.js';
import { SlowSender } from '../attack/slow-sender.js';
import { useService } from '../support/service.js';
import { createTenant } from '../support/tenant.js';

const lines: string[] = [];
const service = useService({ log: createLog('warn', { write: (line) => void lines.push(line) }) });

describe('search of an application that the caller may not read', () => {
  it('answers 404 while the look-up of its devices waits', async () => {
    const tenant = await createTenant(service);
    const { owner, id } = tenant;
    const { client: member } = await tenant.member();
    const application = await owner.post<{ id: string }>(`/organizations/${id}/applications`, { name: 'Field' });
    const pool = createPool(service.databaseUrl, { max: 1 });
    await pool.query('begin; lock table application_device in access exclusive mode');
    const body = { ts: { gte: 1, lte: 2 }, queries: [{ products: [] }] };
    const begun = performance.now();
    const answer = await member.post(`/applications/${id}/${application.body.id}/search`, body);
    const took = performance.now() - begun;
    await pool.query('rollback');
    await pool.end();
    // The look-up itself waits for ten seconds at least (SEARCH_TIMEOUT).
    expect(took).toBeLessThan(5000);
    expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });
});

describe('search whose caller goes away', () => {
  it('cancels its SQL statements and logs no error', async () => {
    const { owner, id } = await createTenant(service);
    const application = await owner.post<{ id: string }>(`/organizations/${id}/applications`, { name: 'Field' });
    const device = await owner.post<{ id: string }>(`/organizations/${id}/devices/aa`, {});
    await owner.put(`/applications/${id}/${application.body.id}/devices/${device.body.id}`);
    const pool = createPool(service.databaseUrl, { max: 2 });
    const holder = await pool.connect();
    // Counts only searches, because the upkeep of partitions starts with the service and waits for the same lock.
    const waiting = async () =>
      (
        await pool.query(
          `select from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database() and application_name = 'ddp search'`,
        )
      ).rowCount!;
    await holder.query('begin; lock table record in access exclusive mode');
    const body = JSON.stringify({ ts: { gte: 1, lte: 2 }, queries: [{ products: [] }] });
    const sender = await SlowSender.to(service.url);
    sender.begin(`/ddp/v1/applications/${id}/${application.body.id}/search`, {
      Authorization: `Bearer ${owner.token}`,
      'Content-Type': 'application/json',
    });
    sender.chunk(Buffer.from(body)).end();
    while ((await waiting()) === 0);
    sender.leave();
    while ((await waiting()) > 0);
    await holder.query('rollback');
    holder.release();
    await pool.end();
    expect((await owner.get('/account')).status).toBe(200);
    expect(lines).toEqual([]);
  });
});

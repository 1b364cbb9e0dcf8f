import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { useService } from '../support/service.js';
import { createTenant, type Tenant } from '../support/tenant.js';
import { useWorld } from '../support/world.js';
import { SlowSender } from './slow-sender.js';

const mebibyte = 2 ** 20;

const headersOf = (tenant: Tenant) => ({
  Authorization: `Bearer ${tenant.owner.token}`,
  'Content-Type': 'application/json',
});
const pathOf = (tenant: Tenant) => `/ddp/v1/organizations/${tenant.id}/records`;

describe('incomplete request', () => {
  const http = { keepAliveTimeout: 75_000, requestTimeout: 400, perAddress: 200, maxConnections: 0, stopDelay: 0 };
  const service = useService({ config: { http } });

  it('receives 408 and loses its connection, whether its head or its body is incomplete', async () => {
    const tenant = await createTenant(service);
    const head = await SlowSender.to(service.url);
    head.socket.write('GET /healthz HTTP/1.1\r\nHost:');
    const body = await SlowSender.to(service.url);
    body.begin(pathOf(tenant), headersOf(tenant)).chunk(Buffer.from('['));
    expect(await Promise.all([head.status(), body.status()])).toEqual([408, 408]);
    await Promise.all([head.closed(), body.closed()]);
  });

  it('times out sooner than an idle connection, which is kept and answered', async () => {
    const idle = await SlowSender.to(service.url);
    const get = 'GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n';
    idle.socket.write(get);
    expect(await idle.status()).toBe(200);
    // Another connection has timed out by now.
    const slow = await SlowSender.to(service.url);
    slow.socket.write('GET');
    expect(await slow.status()).toBe(408);
    idle.socket.write(get);
    await once(idle.socket, 'data');
    expect(idle.answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(idle.answer).toMatch(/keep-alive: timeout=75\b/i);
    idle.leave();
  });
});

describe('large request body', () => {
  const world = useWorld({});

  it('keeps characters intact that span two parts', async () => {
    const owner = await world.organization();
    await owner.post(`/organizations/${owner.id}/devices/ab-01`, {});
    const text = 'aé€😀'.repeat(100);
    const items = Array.from({ length: 2500 }, (_, n) => ({ serial: 'ab-01', metadata: { n, text }, data: {} }));
    const { body } = await owner.post<{ accepted: number }>(`/organizations/${owner.id}/records`, items);
    expect(body.accepted).toBe(2500);
    const { rows } = await world.pool.query<{ texts: string[] }>(
      sql`select array_agg(distinct metadata ->> 'text') texts from record where organization_id = ${owner.id}`,
    );
    expect(rows[0]!.texts).toEqual([text]);
  });

  it.each([
    ['ends within a character', Buffer.concat([Buffer.alloc(mebibyte, '"'), Buffer.from([0xe2, 0x82])])],
    ['has an invalid byte', Buffer.alloc(mebibyte, 'é', 'latin1')],
  ])('returns 400 for a body that %s', async (_, sent) => {
    const owner = await world.organization();
    const answer = await owner.request('POST', `/organizations/${owner.id}/records`, { body: sent });
    expect(answer).toMatchObject({ status: 400, body: { message: 'The body is not UTF-8.' } });
  });
});

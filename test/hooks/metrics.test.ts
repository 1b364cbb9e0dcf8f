import { beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { useService } from '../support/service.js';
import { until } from '../support/until.js';
import { buildCustomer, type Customer } from './customer.js';
import { startReceiver, status } from './receiver.js';

const hooks = { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'], retrySchedule: [60_000] };
const service = useService({ config: { hooks } });
const guarded = useService({ config: { hooks, metricsToken: 'a token of Prometheus' } });
let owner: Customer;
beforeAll(async () => {
  owner = await buildCustomer(service);
});

describe('GET /metrics', () => {
  it('counts pending deliveries on the first request', async () => {
    const receiver = await startReceiver(status(500));
    const { path } = await owner.hook({ url: receiver.url() });
    await owner.send(3);
    for (let tried = false; !tried; ) {
      const { body } = await owner.call<{ attemptsMade: number }[]>('GET', `${path}/deliveries`);
      tried = body.length === 3 && body.every(({ attemptsMade }) => attemptsMade === 1);
    }
    const page = async () => (await fetch(`${service.url}/metrics`)).text();
    expect(await page()).toMatch(/^ddp_hook_pending 3$/m);
    // Attempts are counted once the statement that settles them has answered, a moment after the commit.
    await until(async () => /^ddp_hook_attempts_total\{outcome="failure"\} 3$/m.test(await page()));
    await owner.call('DELETE', path);
    await receiver.close();
  });

  it('reports outcomes, pending deliveries and latency of hooks', async () => {
    const receiver = await startReceiver();
    const { path } = await owner.hook({ url: receiver.url() });
    await owner.send(3);
    await receiver.received(3);
    await owner.hook({ url: receiver.url(), disabled: true });
    await owner.call('POST', `${path}/ping`);
    const response = await fetch(`${service.url}/metrics`);
    const text = await response.text();
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toMatch(/^ddp_hook_attempts_total\{outcome="success"\} [1-4]$/m);
    expect(text).toMatch(/^ddp_hook_latency_seconds_count [1-7]$/m);
    for (const name of ['pending', 'in_flight', 'oldest_due_seconds', 'open_circuits']) {
      expect(text).toMatch(new RegExp(`^ddp_hook_${name} \\d`, 'm'));
    }
    expect(text).not.toContain(owner.organizationId);
    await receiver.close();
  });

  it('returns 401 without the metrics token when one is set', async () => {
    const ask = async (authorization: string) =>
      (await fetch(`${guarded.url}/metrics`, { headers: { authorization } })).status;
    expect(await ask('')).toBe(401);
    expect(await ask('Bearer another')).toBe(401);
    expect(await ask('Bearer a token of Prometheus')).toBe(200);
  });
});

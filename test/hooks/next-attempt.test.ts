import type { ServerResponse } from 'node:http';
import { expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { useService } from '../support/service.js';
import { buildCustomer, type HttpAnswer } from './customer.js';
import { startReceiver } from './receiver.js';

const service = useService({
  config: {
    hooks: { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'], retrySchedule: [600_000], timeout: 60_000 },
  },
});

interface Answered {
  data: { applicationHookDelivery: { successful: boolean; attemptsMade: number; nextAttemptAt: string | null } };
}

it('returns the nextAttemptAt of a waiting delivery, and null during a call and after the last attempt', async () => {
  const owner = await buildCustomer(service);
  const calls: ServerResponse[] = [];
  const receiver = await startReceiver((response) => void calls.push(response));
  const { id, path } = await owner.hook({ url: receiver.url() });
  await owner.send();
  await receiver.received(1);
  const [listed] = (await owner.call<{ id: string }[]>('GET', `${path}/deliveries`)).body;
  const names = { o: owner.organizationId, a: owner.applicationId, h: id, d: listed!.id };
  const query = `query ($o: ID!, $a: ID!, $h: ID!, $d: ID!) {
    applicationHookDelivery(organizationId: $o, applicationId: $a, applicationHookId: $h, deliveryId: $d) {
      successful attemptsMade nextAttemptAt } }`;
  const delivery = async () =>
    ((await owner.graph(query, names)) as HttpAnswer<Answered>).body.data.applicationHookDelivery;
  /** Waits until the delivery has the given number of settled attempts. */
  const settled = async (attempts: number) => {
    for (;;) {
      const found = await delivery();
      if (found.attemptsMade === attempts) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  expect(await delivery()).toEqual({ successful: false, attemptsMade: 0, nextAttemptAt: null });
  const before = Date.now();
  calls[0]!.writeHead(500).end();
  const { nextAttemptAt } = await settled(1);
  // Jitter varies the wait around the schedule's ten minutes.
  expect(Date.parse(nextAttemptAt!) - before).toBeGreaterThan(300_000);

  await owner.call('POST', `${path}/deliveries/${listed!.id}/redeliver`);
  await receiver.received(2);
  calls[1]!.end('fine');
  expect(await settled(2)).toEqual({ successful: true, attemptsMade: 2, nextAttemptAt: null });
  const { body } = await owner.call<object>('GET', `${path}/deliveries/${listed!.id}`);
  expect(body).not.toHaveProperty('nextAttemptAt');
  await receiver.close();
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { buildCustomer, type Customer } from '../../hooks/customer.js';
import { type Receiver, startReceiver } from '../../hooks/receiver.js';
import { useService } from '../../support/service.js';

const service = useService({ config: { hooks: { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'] } } });
let greedy: Customer;
let modest: Customer;
let receiver: Receiver;

beforeAll(async () => {
  [greedy, modest, receiver] = await Promise.all([buildCustomer(service), buildCustomer(service), startReceiver()]);
  for (let number = 0; number < 30; number++) await greedy.hook({ url: receiver.url('/greedy') });
  await modest.hook({ url: receiver.url('/modest') });
});
afterAll(() => receiver.close());

describe('records of one organization with very many deliveries', () => {
  it('delays neither ingestion nor deliveries of another organization', async () => {
    const answered: string[] = [];
    // This call makes 30,000 deliveries in one transaction.
    const large = greedy.send(1000).then(({ status }) => answered.push(`greedy ${status}`));
    const small = modest.send(1).then(({ status }) => answered.push(`modest ${status}`));
    await Promise.all([large, small]);
    expect(answered).toEqual(['modest 200', 'greedy 200']);

    await modest.send(1);
    const calls = () => receiver.calls.map(({ path }) => path);
    while (calls().filter((path) => path === '/modest').length < 2) await receiver.received(calls().length + 1);
    expect(calls().length).toBeLessThan(20_000);
  }, 180_000);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { buildCustomer, type Customer } from '../../hooks/customer.js';
import { useService } from '../../support/service.js';

const service = useService({});
let slow: Customer;
let quick: Customer;
let holder: pg.Client;

interface Rule {
  disabled: boolean;
  disabledReason?: string;
}

const rule = { name: 'Slow', kind: 'threshold', when: { query: { range: { 'data.index': { gte: 0 } } } } };
const rulesOf = ({ organizationId, applicationId }: Customer) =>
  `/applications/${organizationId}/${applicationId}/alert-rules`;

/** Creates rules whose query matches every record. Returns their paths. */
async function makeRules(customer: Customer, count: number): Promise<string[]> {
  const paths: string[] = [];
  for (let number = 0; number < count; number++) {
    const { body } = await customer.call<{ id: string }>('POST', rulesOf(customer), rule);
    paths.push(`${rulesOf(customer)}/${body.id}`);
  }
  return paths;
}

beforeAll(async () => {
  [slow, quick] = await Promise.all([buildCustomer(service), buildCustomer(service)]);
  await quick.send();
  holder = new pg.Client(service.databaseUrl);
  await holder.connect();
});
afterAll(() => holder.end());

describe('slow alert queries of one organization', () => {
  it("delays no other organization's ingestion", async () => {
    await makeRules(slow, 100);
    await slow.send();
    // The fields that the queries name are locked, so each query uses up its timeout on any machine.
    await holder.query('begin; lock table record_field in access exclusive mode');
    let stopped = false;
    const sending = Array.from({ length: 6 }, async () => {
      while (!stopped) await slow.send();
    });
    try {
      const latencies: number[] = [];
      for (let number = 0; number < 20; number++) {
        const begun = performance.now();
        expect((await quick.send()).status).toBe(200);
        latencies.push(performance.now() - begun);
      }
      expect(Math.max(...latencies)).toBeLessThan(6000);
    } finally {
      await holder.query('rollback');
      stopped = true;
      await Promise.all(sending);
    }
  });

  it('keeps the alert states, and disables the rule with a visible reason after five timeouts', async () => {
    const owner = await buildCustomer(service);
    const [path] = await makeRules(owner, 1);
    await owner.send();
    const read = async () => (await owner.call<Rule>('GET', path!)).body;
    const episodes = `/applications/${owner.organizationId}/${owner.applicationId}/episodes`;
    const all = async () => (await owner.call<{ closedReason?: string }[]>('GET', episodes)).body;
    expect(await all()).toMatchObject([{ severity: 'warning' }]);
    await holder.query('begin; lock table record_field in access exclusive mode');
    try {
      await owner.send();
      expect(await all()).not.toMatchObject([{ closedReason: expect.any(String) }]);
      while (!(await read()).disabled) await owner.send();
    } finally {
      await holder.query('rollback');
    }
    expect(await read()).toMatchObject({ disabled: true, disabledReason: 'timeout' });
    expect(await all()).toMatchObject([{ closedReason: 'disabled' }]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^ddp_alert_rules_disabled_total [1-9]/m);
    expect((await owner.call<Rule>('PUT', path!, { name: 'Slow', disabled: false })).body).toMatchObject({
      disabled: false,
    });
  });

  it('disables every rule, also those for which the others of a transaction leave no time', async () => {
    const owner = await buildCustomer(service);
    const paths = await makeRules(owner, 3);
    await owner.send();
    const read = () => Promise.all(paths.map(async (path) => (await owner.call<Rule>('GET', path)).body));
    await holder.query('begin; lock table record_field in access exclusive mode');
    try {
      while (!(await read()).every(({ disabled }) => disabled)) await owner.send();
    } finally {
      await holder.query('rollback');
    }
    expect(await read()).toEqual(paths.map(() => expect.objectContaining({ disabledReason: 'timeout' })));
  });
});

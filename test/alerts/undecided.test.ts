import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AccountType } from '#entities/enums.js';
import { setDisabled } from '#operator/account.js';
import { buildCustomer, type Customer } from '../hooks/customer.js';
import { useService } from '../support/service.js';

const service = useService({});
const narrow = useService({ maxUndecided: 3 });
let holder: pg.Client;

interface Episode {
  openedBy?: { ts: number };
  closedBy?: { ts: number };
}

beforeAll(async () => {
  holder = new pg.Client(service.databaseUrl);
  await holder.connect();
});
afterAll(() => holder.end());

/** Runs work while no query of a rule can be answered: the fields that it names are locked. */
const whileSlow = async (holder: pg.Client, work: () => Promise<void>) => {
  await holder.query('begin; lock table record_field in access exclusive mode');
  try {
    await work();
  } finally {
    await holder.query('rollback');
  }
};

const at = ({ organizationId, applicationId }: Customer) => `/applications/${organizationId}/${applicationId}`;
const makeRules = async (owner: Customer, count: number) => {
  const when = { query: { range: { 'data.t': { gt: 8 } } } };
  const make = (name: string) =>
    owner.call<{ id: string }>('POST', `${at(owner)}/alert-rules`, { name, kind: 'threshold', when });
  const made = [];
  for (let number = 0; number < count; number++) made.push((await make(`Rule ${number}`)).body.id);
  return made;
};
const send = async (owner: Customer, ...points: [ts: number, t: number][]) => {
  const records = points.map(([ts, t]) => ({ serial: owner.serial, ts, data: { t } }));
  expect((await owner.call('POST', `/organizations/${owner.organizationId}/records`, records)).status).toBe(200);
};
/** Returns the episodes of a rule, the newest first. */
const episodesOf = async (owner: Customer, ruleId: string) =>
  (await owner.call<Episode[]>('GET', `${at(owner)}/episodes?alertRuleId=${ruleId}`)).body;
const undecidedOf = async (owner: Customer) => {
  const query = `query ($o: ID!, $a: ID!) { alertRules(organizationId: $o, applicationId: $a) {
    items { undecided { since deviceCount deviceIds } } } }`;
  const { body } = await owner.graph(query, { o: owner.organizationId, a: owner.applicationId });
  return (body as { data: { alertRules: { items: { undecided: object | null }[] } } }).data.alertRules.items.map(
    ({ undecided }) => undecided,
  );
};
const until = async <T>(read: () => Promise<T>, isReached: (found: T) => boolean): Promise<T> => {
  for (;;) {
    const found = await read();
    if (isReached(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
const disable = async ({ organizationId }: Customer, disabled: boolean) => {
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
  try {
    await setDisabled(pool, AccountType.organization, organizationId, disabled, new Date());
  } finally {
    await pool.end();
  }
};
const metricsOf = async ({ url }: { url: string }) => (await fetch(`${url}/metrics`)).text();
const base = 1_700_000_000;

describe('alert rule whose query gets no answer in time', () => {
  it('decides the records later, the oldest first, and says meanwhile which devices wait', async () => {
    const owner = await buildCustomer(service);
    const rules = await makeRules(owner, 4);
    await send(owner, [base, 1]);
    await whileSlow(holder, async () => {
      await send(owner, [base + 1, 9], [base + 2, 1]);
      await send(owner, [base + 3, 9]);
      const waiting = { deviceCount: 1, deviceIds: [owner.deviceId], since: expect.any(String) };
      expect(await undecidedOf(owner)).toEqual(rules.map(() => waiting));
      expect(await metricsOf(service)).toMatch(/^ddp_alert_undecided_records 12$/m);
    });
    await send(owner, [base + 4, 9]);
    await until(
      () => undecidedOf(owner),
      (all) => all.every((one) => one === null),
    );
    for (const ruleId of rules) {
      expect((await episodesOf(owner, ruleId)).map(({ openedBy, closedBy }) => [openedBy?.ts, closedBy?.ts])).toEqual([
        [base + 3, undefined],
        [base + 1, base + 2],
      ]);
    }
    await send(owner, [base + 5, 1]);
    expect(await episodesOf(owner, rules[0]!)).toMatchObject([{ closedBy: { ts: base + 5 } }, {}]);
  });

  it('lets the records of a disabled organization wait until it is enabled', async () => {
    const [owner, other] = [await buildCustomer(service), await buildCustomer(service)];
    const [rule] = await makeRules(owner, 1);
    await makeRules(other, 1);
    for (const each of [owner, other]) await send(each, [base, 1]);
    await whileSlow(holder, async () => {
      await send(owner, [base + 1, 9]);
      await send(other, [base + 1, 9]);
      await disable(owner, true);
    });
    const decided = (all: (object | null)[]) => all.every((one) => one === null);
    await until(() => undecidedOf(other), decided);
    await whileSlow(holder, async () => {
      await disable(owner, false);
      expect(await undecidedOf(owner)).toMatchObject([{ deviceCount: 1 }]);
      expect(await episodesOf(owner, rule!)).toEqual([]);
    });
    await until(() => undecidedOf(owner), decided);
    expect(await episodesOf(owner, rule!)).toMatchObject([{ openedBy: { ts: base + 1 } }]);
  });
});

describe('alert rule with more undecided records than it may have', () => {
  it('switches off at once, and says so', async () => {
    const owner = await buildCustomer(narrow);
    const [ruleId] = await makeRules(owner, 1);
    const read = async () =>
      (await owner.call<{ disabled: boolean; disabledReason?: string }>('GET', `${at(owner)}/alert-rules/${ruleId}`))
        .body;
    const other = new pg.Client(narrow.databaseUrl);
    await other.connect();
    await send(owner, [base - 1, 1]);
    await whileSlow(other, async () => {
      await send(owner, [base, 9], [base + 1, 9], [base + 2, 9], [base + 3, 9]);
      await until(read, ({ disabled }) => disabled);
    });
    await other.end();
    expect(await read()).toMatchObject({ disabled: true, disabledReason: 'timeout' });
    // Five timeouts would switch it off, too.
    expect(await metricsOf(narrow)).toMatch(/^ddp_alert_query_timeouts_total 1$/m);
    expect(await undecidedOf(owner)).toEqual([null]);
  });
});

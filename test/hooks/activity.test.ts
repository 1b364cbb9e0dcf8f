import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hourSeconds } from '#common/time.js';
import { readConfig } from '#config/config.js';
import { useService } from '../support/service.js';
import { buildCustomer, type Customer, type HttpAnswer } from './customer.js';
import { type Receiver, startReceiver, status } from './receiver.js';

const service = useService({
  config: { hooks: { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'], retrySchedule: [], timeout: 5000 } },
});
let owner: Customer;
let other: Customer;
let healthy: Receiver;
let broken: Receiver;
const hooks: Record<string, string> = {};

const since = Math.floor(Date.now() / 1000 / hourSeconds) * hourSeconds;

interface Answered {
  data: any;
  errors?: { path: unknown[]; extensions: { code: string; errors?: { path: string }[] } }[];
}
const ask = async (query: string, variables: object = {}, caller = owner): Promise<Answered> =>
  (
    (await caller.graph(query, {
      o: owner.organizationId,
      a: owner.applicationId,
      ...variables,
    })) as HttpAnswer<Answered>
  ).body;

/** Creates a hook that succeeds, one that fails, one whose receiver answered 410, and one that was never called. */
beforeAll(async () => {
  owner = await buildCustomer(service);
  other = await buildCustomer(service);
  healthy = await startReceiver();
  broken = await startReceiver(status(500));
  hooks['healthy'] = (await owner.hook({ url: healthy.url() })).id;
  hooks['broken'] = (await owner.hook({ url: broken.url() })).id;
  await owner.send(3);
  hooks['unused'] = (await owner.hook({ url: 'http://127.0.0.1:9/' })).id;
  hooks['off'] = (await owner.hook({ url: 'http://127.0.0.1:9/', disabled: true })).id;
  for (;;) {
    const { data } = await ask(`query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) {
      deliveries(state: pending) { totalCount } } }`);
    if (data.application.deliveries.totalCount === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});
afterAll(async () => {
  await healthy.close();
  await broken.close();
});

const names = (items: { id: string }[]) =>
  items.map(({ id }) => Object.keys(hooks).find((name) => hooks[name] === id)).sort();

describe('hook filters', () => {
  it.each([
    ['disabled: true', ['off']],
    ['disabled: false', ['broken', 'healthy', 'unused']],
    ['failing: true', ['broken']],
    ['failing: false', ['healthy', 'off', 'unused']],
    ['failing: false, disabled: false', ['healthy', 'unused']],
    ['disabled: null, failing: null', ['broken', 'healthy', 'off', 'unused']],
  ])('lists only the hooks with %s', async (filter, expected) => {
    const { data } = await ask(`query ($o: ID!, $a: ID!) {
      applicationHooks(organizationId: $o, applicationId: $a, ${filter}) { totalCount items { id } }
      application(organizationId: $o, applicationId: $a) { hooks(${filter}) { totalCount items { id } } } }`);
    for (const found of [data.applicationHooks, data.application.hooks])
      expect([found.totalCount, names(found.items)]).toEqual([expected.length, expected]);
  });

  it('returns 422 for the filter `disabled` over REST', async () => {
    expect((await owner.call('GET', `${owner.hooks}?disabled=true`)).status).toBe(422);
  });
});

describe('deliveries of an application', () => {
  const query = `query ($o: ID!, $a: ID!, $state: DeliveryState, $from: UnixTime, $to: UnixTime, $limit: Int, $after: String) {
    application(organizationId: $o, applicationId: $a) {
      deliveries(state: $state, from: $from, to: $to, limit: $limit, after: $after) {
        totalCount hasMore endCursor items { successful hook { id } } } } }`;
  const find = async (variables: object) => (await ask(query, { limit: 10, ...variables })).data.application.deliveries;

  it('filters by outcome across all hooks', async () => {
    const failed = await find({ state: 'failed' });
    expect([failed.totalCount, names(failed.items.map(({ hook }: any) => hook))]).toEqual([
      3,
      ['broken', 'broken', 'broken'],
    ]);
    const succeeded = await find({ state: 'succeeded' });
    expect([succeeded.totalCount, names(succeeded.items.map(({ hook }: any) => hook))]).toEqual([
      3,
      ['healthy', 'healthy', 'healthy'],
    ]);
    expect(await find({ state: 'pending' })).toMatchObject({ totalCount: 0, items: [] });
    expect(await find({})).toMatchObject({ totalCount: 6 });
  });

  it('filters by time of storing, and pages by cursor', async () => {
    expect(await find({ from: since + 2 * hourSeconds })).toMatchObject({ totalCount: 0 });
    expect(await find({ state: 'failed', from: since, to: since + 2 * hourSeconds })).toMatchObject({ totalCount: 3 });
    const first = await find({ state: 'failed', limit: 2 });
    expect(first).toMatchObject({ hasMore: true, items: [{}, {}] });
    expect(await find({ state: 'failed', limit: 2, after: first.endCursor })).toMatchObject({
      hasMore: false,
      items: [{}],
    });
  });

  it('filters the same way below a hook and below a device', async () => {
    const { data } = await ask(
      `query ($o: ID!, $a: ID!, $h: ID!, $d: ID!) {
        applicationHook(organizationId: $o, applicationId: $a, applicationHookId: $h) {
          failed: deliveries(state: failed) { totalCount } succeeded: deliveries(state: succeeded) { totalCount } }
        device(organizationId: $o, deviceId: $d) {
          failed: deliveries(state: failed) { totalCount } late: deliveries(from: ${since + 2 * hourSeconds}) { totalCount } } }`,
      { h: hooks['broken'], d: owner.deviceId },
    );
    expect(data).toEqual({
      applicationHook: { failed: { totalCount: 3 }, succeeded: { totalCount: 0 } },
      device: { failed: { totalCount: 3 }, late: { totalCount: 0 } },
    });
  });
});

describe('activity of a hook', () => {
  const query = `query ($o: ID!, $a: ID!, $from: UnixTime, $to: UnixTime, $interval: Int) {
    application(organizationId: $o, applicationId: $a) { hooks(sort: "createdAt") { items { id
      activity(from: $from, to: $to, interval: $interval) { ts succeeded failed pending successRate p50 p95 } } } } }`;

  it('counts deliveries by time of storing and outcome in whole buckets', async () => {
    const { data } = await ask(query, {
      from: since - hourSeconds - 1,
      to: since + 2 * hourSeconds - 1,
      interval: hourSeconds,
    });
    const [first, second] = data.application.hooks.items as { activity: any[] }[];
    expect(first!.activity.map(({ ts }) => ts)).toEqual([
      since - 2 * hourSeconds,
      since - hourSeconds,
      since,
      since + hourSeconds,
    ]);
    const sum = (activity: any[], key: string) => activity.reduce((all, each) => all + each[key], 0);
    for (const [activity, succeeded, failed] of [
      [first!.activity, 3, 0],
      [second!.activity, 0, 3],
    ] as const) {
      expect([sum(activity, 'succeeded'), sum(activity, 'failed'), sum(activity, 'pending')]).toEqual([
        succeeded,
        failed,
        0,
      ]);
      expect(activity[0]).toEqual({
        ts: since - 2 * hourSeconds,
        succeeded: 0,
        failed: 0,
        pending: 0,
        successRate: null,
        p50: null,
        p95: null,
      });
      const busy = activity.find((each) => each.succeeded + each.failed > 0);
      expect(busy).toMatchObject({ successRate: succeeded / 3, p50: expect.any(Number), p95: expect.any(Number) });
      expect(busy.p95).toBeGreaterThanOrEqual(busy.p50);
    }
  });

  it('covers the last day in at most 100 buckets by default', async () => {
    const { data } = await ask(query);
    const { activity } = data.application.hooks.items[0];
    const [first, second] = activity;
    expect(second.ts - first.ts).toBe(900);
    expect(activity.length).toBeGreaterThan(95);
    expect(activity.length).toBeLessThan(101);
  });

  it.each([
    ['from', { from: 2000, to: 1000 }],
    ['interval', { interval: 59 }],
    ['interval', { from: 0, to: 60 * 1000, interval: 60 }],
  ])('returns VALIDATION_FAILED for an invalid %s', async (path, variables) => {
    const { errors } = await ask(query, variables);
    expect(errors![0]).toMatchObject({ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } });
  });

  it('charges each alias against the cost budget of the request', async () => {
    const aliased = (count: number) => {
      const activity = (_: unknown, index: number) =>
        `a${index}: activity(from: ${index}, to: 59999, interval: 60) { ts }`;
      return ask(
        `query ($o: ID!, $a: ID!, $h: ID!) { applicationHook(organizationId: $o, applicationId: $a, applicationHookId: $h) {
          ${Array.from({ length: count }, activity).join(' ')} } }`,
        { h: hooks['healthy'] },
      );
    };
    const { data } = await aliased(20);
    expect(data.applicationHook.a3).toHaveLength(1000);
    const { errors } = await aliased(30);
    expect(errors).toMatchObject([{ message: expect.stringContaining('25,000') }]);
  });

  it('returns NOT_FOUND to a caller who may not see the hook', async () => {
    const { errors } = await ask(query, {}, other);
    expect(errors).toMatchObject([{ path: ['application'], extensions: { code: 'NOT_FOUND' } }]);
  });
});

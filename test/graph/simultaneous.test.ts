import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;

/** Paths of one thing of each kind, below which two calls change it at once. */
const paths = {
  account: () => Promise.resolve('/account'),
  organization: () => Promise.resolve(`/organizations/${owner.id}`),
  team: async () => `/teams/${owner.id}/${await owner.make(`/organizations/${owner.id}/teams`, { name: 'T' })}`,
  product: async () => {
    const body = { name: 'P', version: '1', variables: [] };
    return `/products/${owner.id}/${await owner.make(`/organizations/${owner.id}/products`, body)}`;
  },
  device: async () => `/devices/${owner.id}/${await owner.make(`/organizations/${owner.id}/devices/a0-01`)}`,
  application: () => newApplication(),
  hook: () => newHook(),
  'hook settings': async () => `${await newHook()}/settings`,
  'alert rule': async () => {
    const application = await newApplication();
    const body = { name: 'R', kind: 'silence', silentFor: 600 };
    return `${application}/alert-rules/${await owner.make(`${application}/alert-rules`, body)}`;
  },
};

const newApplication = async (): Promise<string> =>
  `/applications/${owner.id}/${await owner.make(`/organizations/${owner.id}/applications`, { name: 'A' })}`;

const newHook = async (): Promise<string> => {
  const application = await newApplication();
  return `${application}/hooks/${await owner.make(`${application}/hooks`, { url: 'http://127.0.0.1:9/' })}`;
};

const named = (name: string) => ({ name, email: `${name}@simultaneous.example`, username: 'simultaneous' });
const variables = (name: string) => [{ name, type: 'BOOL' }];
const authentication = (name: string | null, value = name) => ({
  url: 'http://127.0.0.1:9/',
  authentication: name === null ? null : { header: { name: `x-${name}`, value } },
});

/**
 * For each kind: a value to begin with, and two changes. The second one differs from the beginning in one field alone,
 * so a mixture of both is seen.
 */
const changes: readonly (readonly [keyof typeof paths, begin: object, one: object, other: object])[] = [
  ['account', { ...named('one'), name: 'both' }, named('two'), named('one')],
  ['organization', { ...named('one'), name: 'both' }, named('two'), named('one')],
  ['team', { name: 's', description: 'b' }, { name: 'a', description: 'a' }, { name: 'b', description: 'b' }],
  [
    'product',
    { name: 's', version: '2', variables: variables('b') },
    { name: 'a', version: '1', variables: variables('a') },
    { name: 'b', version: '2', variables: variables('b') },
  ],
  ['device', { name: 's', tags: ['b'] }, { name: 'a', tags: ['a'] }, { name: 'b', tags: ['b'] }],
  [
    'application',
    { name: 's', description: 'b', hasDashboard: true },
    { name: 'a', description: 'a', hasDashboard: false },
    { name: 'b', description: 'b', hasDashboard: true },
  ],
  ['hook', authentication('b', 's'), authentication('a'), authentication('b')],
  ['hook', authentication(null), authentication('a'), authentication(null)],
  [
    'hook settings',
    { concurrency: 1, maxPerSecond: 2 },
    { concurrency: 3, maxPerSecond: 3 },
    { concurrency: 2, maxPerSecond: 2 },
  ],
  ['alert rule', { name: 's', silentFor: 700 }, { name: 'a', silentFor: 800 }, { name: 'b', silentFor: 700 }],
];

beforeAll(async () => {
  owner = await world.organization();
});

describe('a pair of changes at once', () => {
  it.each(changes)('gives what one after the other gives: %s', async (kind, begin, one, other) => {
    const path = await paths[kind]();
    const put = async (...bodies: object[]) => {
      const answers = await Promise.all(bodies.map((body) => owner.put(path, body)));
      expect(answers.map(({ status }) => [200, 204].includes(status) || status)).toEqual(bodies.map(() => true));
    };
    const state = async () => {
      const { updatedAt: _, ...rest } = (await owner.get<{ updatedAt?: string }>(path)).body;
      return JSON.stringify(rest);
    };
    const orders = [];
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      await put(begin);
      await put(first);
      await put(second);
      orders.push(await state());
    }
    for (let round = 0; round < 10; round++) {
      await put(begin);
      await put(one, other, one, other);
      expect(orders).toContain(await state());
    }
  });

  it('writes events that follow each other in the audit log', async () => {
    const path = await paths.team();
    const names = Array.from({ length: 12 }, (_, index) => `N${index}`);
    await Promise.all(names.map((name) => owner.put(path, { name })));
    const id = path.split('/').at(-1)!;
    const { body } = await owner.get<
      { target: { targetId: string }; changes: { field: string; before: string; after: string }[] }[]
    >(`/organizations/${owner.id}/audit?action=updateTeam&limit=100`);
    const steps = body.filter(({ target }) => target.targetId === id).flatMap((event) => event.changes);
    const before = new Map(steps.filter(({ field }) => field === 'name').map((step) => [step.before, step.after]));
    let name = 'T';
    const seen: string[] = [];
    while (before.has(name)) seen.push((name = before.get(name)!));
    expect(seen.toSorted()).toEqual(names.toSorted());
    expect((await owner.get<{ name: string }>(path)).body.name).toBe(name);
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let at: string;

beforeEach(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
});

interface Item {
  status: string;
  id: string | null;
  error: { code: string; message: string; errors: { path: string }[] } | null;
}

const inputs = {
  putProducts: ['products', 'ProductInput', ''],
  putApplications: ['applications', 'ApplicationInput', ''],
  putHooks: ['hooks', 'HookInput', 'applicationId'],
  putAlertRules: ['alertRules', 'AlertRuleInput', 'applicationId'],
  putTeams: ['teams', 'TeamInput', ''],
  putTeamMembers: ['members', 'TeamMemberInput', 'teamId'],
  putTeamApplications: ['applications', 'TeamApplicationInput', 'teamId'],
} as const;

async function put(name: keyof typeof inputs, items: object[], below?: string, dryRun = false): Promise<Item[]> {
  const [items_, type, parent] = inputs[name];
  const [declared, passed] = parent === '' ? ['', ''] : [', $p: ID!', `, ${parent}: $p`];
  const { body } = await owner.graph(
    `mutation ($o: ID!, $items: [${type}!]!, $dryRun: Boolean${declared}) { answer: ${name}(
      organizationId: $o, ${items_}: $items, dryRun: $dryRun${passed}) { results { status id error { code message errors { path } } } } }`,
    { o: owner.id, items, dryRun, ...(below !== undefined && { p: below }) },
  );
  expect(body.errors).toBeUndefined();
  return (body.data!['answer'] as { results: Item[] }).results;
}

const statuses = (items: Item[]) => items.map(({ status }) => status);
const url = 'http://127.0.0.1:9/';
const variables = [{ name: 'temperature', type: 'FLOAT32', unit: '' }];

describe('putProducts', () => {
  const products = [
    { externalId: 'a', name: 'Thermometer', version: '1', variables },
    { externalId: 'b', name: 'Pump', version: '1', variables: [] },
  ];

  it('creates products by key, and no product twice', async () => {
    const first = await put('putProducts', products);
    expect(statuses(first)).toEqual(['created', 'created']);
    const second = await put('putProducts', [{ ...products[0], version: '2' }, products[1]!]);
    expect(statuses(second)).toEqual(['updated', 'unchanged']);
    expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    const { body } = await owner.graph(
      'query ($o: ID!) { products(organizationId: $o) { items { externalId version } } }',
      {
        o: owner.id,
      },
    );
    expect(body.data!['products'].items).toEqual([
      { externalId: 'a', version: '2' },
      { externalId: 'b', version: '1' },
    ]);
    expect((await owner.get(`/products/${owner.id}/${first[0]!.id}`)).body).not.toHaveProperty('externalId');
  });

  it('gives the key to a product that exists', async () => {
    const id = await owner.make(`${at}/products`, { name: 'Old', version: '1', variables: [] });
    expect(await put('putProducts', [{ ...products[0], id }])).toMatchObject([{ status: 'updated', id }]);
    expect(await put('putProducts', products.slice(0, 1))).toMatchObject([{ status: 'unchanged', id }]);
  });

  it('stores the good items beside those at fault', async () => {
    const [{ id }] = (await put('putProducts', products.slice(0, 1))) as [Item];
    const items = await put('putProducts', [
      { ...products[1], name: '' },
      { ...products[1], externalId: 'x', variables: [variables[0], variables[0]] },
      products[1]!,
      { ...products[1], name: 'Again' },
      { ...products[0], externalId: 'c', id: '00000000-0000-7000-8000-000000000000' },
      { ...products[1], externalId: 'd', id },
    ]);
    expect(items.map(({ status, error }) => [status, error?.code, error?.errors[0]?.path])).toEqual([
      ['failed', 'VALIDATION_FAILED', 'name'],
      ['failed', 'VALIDATION_FAILED', 'variables.1.name'],
      ['created', undefined, undefined],
      ['failed', 'CONFLICT', 'externalId'],
      ['failed', 'NOT_FOUND', undefined],
      ['updated', undefined, undefined],
    ]);
  });

  it('changes nothing in a dry run', async () => {
    expect(statuses(await put('putProducts', products, undefined, true))).toEqual(['created', 'created']);
    expect((await owner.get<object[]>(`${at}/products`)).body).toEqual([]);
  });

  it('makes each product once when calls with the same keys come at once', async () => {
    const answers = await Promise.all([put('putProducts', products), put('putProducts', products)]);
    expect(answers.flatMap(statuses).sort()).toEqual(['created', 'created', 'unchanged', 'unchanged']);
  });
});

describe('putApplications', () => {
  it('creates and changes applications, and keeps what an item leaves out', async () => {
    const [created] = await put('putApplications', [{ externalId: 'a', name: 'Field', description: 'North' }]);
    expect(await put('putApplications', [{ externalId: 'a', name: 'Fields' }])).toMatchObject([
      { status: 'updated', id: created!.id },
    ]);
    expect((await owner.get(`/applications/${owner.id}/${created!.id}`)).body).toMatchObject({
      name: 'Fields',
      description: 'North',
    });
  });

  it("takes the keys of another organization's things for its own", async () => {
    const stranger = owner;
    await put('putApplications', [{ externalId: 'a', name: 'Theirs' }]);
    owner = await world.organization();
    expect(statuses(await put('putApplications', [{ externalId: 'a', name: 'Ours' }]))).toEqual(['created']);
    expect((await stranger.get<object[]>(`/organizations/${stranger.id}/applications`)).body).toMatchObject([
      { name: 'Theirs' },
    ]);
  });
});

describe('putHooks', () => {
  it('creates hooks with settings, keeps their secrets, and creates no hook twice', async () => {
    const id = await owner.make(`${at}/applications`, { name: 'Field' });
    const hook = { externalId: 'a', url, concurrency: 2, filter: { tags: ['roof'] } };
    const basic = { authentication: { basic: { user: 'u', pass: 'p' } } };
    expect(statuses(await put('putHooks', [{ ...hook, ...basic }], id))).toEqual(['created']);
    expect(statuses(await put('putHooks', [hook], id))).toEqual(['unchanged']);
    expect(statuses(await put('putHooks', [{ ...hook, ordered: true }], id))).toEqual(['updated']);
    const [stored] = (await owner.get<{ id: string }[]>(`/applications/${owner.id}/${id}/hooks`)).body;
    const path = `/applications/${owner.id}/${id}/hooks/${stored!.id}`;
    expect((await owner.get(path)).body).toMatchObject({ url, authentication: { basic: { user: 'u' } } });
    expect((await owner.get(`${path}/settings`)).body).toMatchObject({ concurrency: 2, ordered: true });
  });

  it('rejects a key of another application, an invalid address, and hooks beyond 100', async () => {
    const first = await owner.make(`${at}/applications`, { name: 'First' });
    const second = await owner.make(`${at}/applications`, { name: 'Second' });
    await put('putHooks', [{ externalId: 'a', url }], first);
    const many = Array.from({ length: 97 }, (_, index) => ({ externalId: `many ${index}`, url }));
    await put('putHooks', many, second);
    const items = [
      { externalId: 'a', url },
      { externalId: 'b', url: 'ftp://x' },
      ...['c', 'd', 'e', 'f'].map((externalId) => ({ externalId, url })),
    ];
    const answer = await put('putHooks', items, second);
    expect(answer.map(({ error }) => error?.code)).toEqual([
      'CONFLICT',
      'VALIDATION_FAILED',
      undefined,
      undefined,
      undefined,
      'CONFLICT',
    ]);
  });
});

describe('putHooks with the identifier of a hook of another application', () => {
  it('moves the hook for an owner, within the room of the application, and for nobody else', async () => {
    const first = await owner.make(`${at}/applications`, { name: 'First' });
    const second = await owner.make(`${at}/applications`, { name: 'Second' });
    const id = await owner.make(`/applications/${owner.id}/${first}/hooks`, { url });
    const item = { externalId: 'a', url, id };
    const member = await world.member(owner, Role.member);
    const team = await owner.make(`${at}/teams`, { name: 'Crew' });
    await owner.put(`/teams/${owner.id}/${team}/members/${member.id}`, {});
    for (const application of [first, second])
      await owner.put(`/teams/${owner.id}/${team}/applications/${application}`, { permission: 'write' });
    const query = `mutation ($o: ID!, $a: ID, $items: [HookInput!]!) {
      answer: putHooks(organizationId: $o, applicationId: $a, hooks: $items) { results { status error { code } } } }`;
    const { body } = await member.graph(query, { o: owner.id, a: second, items: [item] });
    expect(body.data!['answer'].results[0].error.code).toBe('NOT_FOUND');
    expect(statuses(await put('putHooks', [item], second, true))).toEqual(['updated']);
    expect(statuses(await put('putHooks', [item], second))).toEqual(['updated']);
    expect(statuses(await put('putHooks', [item], second))).toEqual(['unchanged']);
    expect((await owner.get(`/applications/${owner.id}/${first}/hooks`)).body).toEqual([]);
    const many = Array.from({ length: 100 }, (_, index) => ({ externalId: `many ${index}`, url }));
    await put('putHooks', many, first);
    expect((await put('putHooks', [item], first))[0]!.error?.code).toBe('CONFLICT');
    const without = await owner.graph(query, { o: owner.id, a: null, items: [item] });
    expect(without.body.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('putAlertRules', () => {
  const when = { all: [{ variable: 'temperature', operator: 'gt', value: 8 }] };
  const hot = { externalId: 'hot', name: 'Too warm', kind: 'threshold', when, recipients: ['a@ddp.example'] };

  it('creates rules by key, and keeps open episodes and recipients when no decision changes', async () => {
    const id = await owner.make(`${at}/applications`, { name: 'Field' });
    expect(statuses(await put('putAlertRules', [hot], id, true))).toEqual(['created']);
    expect(statuses(await put('putAlertRules', [hot], id))).toEqual(['created']);
    const device = await owner.make(`${at}/devices/a1`);
    await owner.put(`/applications/${owner.id}/${id}/devices/${device}`);
    await owner.post(`${at}/records`, [{ serial: 'a1', ts: 1_700_000_000, data: { temperature: 9 } }]);
    const open = async () =>
      (await owner.get<{ closedReason?: string }[]>(`/applications/${owner.id}/${id}/episodes`)).body.map(
        ({ closedReason }) => closedReason ?? 'open',
      );
    expect(await open()).toEqual(['open']);
    expect(statuses(await put('putAlertRules', [hot], id))).toEqual(['unchanged']);
    expect(statuses(await put('putAlertRules', [{ ...hot, name: 'Hot', recipients: undefined }], id))).toEqual([
      'updated',
    ]);
    expect(await open()).toEqual(['open']);
    const rules = await owner.get(`/applications/${owner.id}/${id}/alert-rules`);
    expect(rules.body).toMatchObject([{ name: 'Hot', recipients: ['a@ddp.example'] }]);
    const warmer = { all: [{ variable: 'temperature', operator: 'gt', value: 20 }] };
    expect(statuses(await put('putAlertRules', [{ ...hot, when: warmer }], id))).toEqual(['updated']);
    expect(await open()).toEqual(['ruleChanged']);
  });

  it('rejects items that createAlertRule would refuse or that exceed 100 rules, and stores the others', async () => {
    const id = await owner.make(`${at}/applications`, { name: 'Field' });
    const silence = (externalId: string) => ({ externalId, name: externalId, kind: 'silence', silentFor: 600 });
    await put(
      'putAlertRules',
      Array.from({ length: 98 }, (_, index) => silence(`many ${index}`)),
      id,
    );
    const items = [
      { externalId: 'a', name: 'Without a condition', kind: 'threshold' },
      { ...hot, products: [owner.id] },
      { ...silence('many 1'), kind: 'threshold', when },
      silence('b'),
      silence('c'),
      silence('d'),
    ];
    for (const dryRun of [true, false]) {
      const answer = await put('putAlertRules', items, id, dryRun);
      expect(answer.map(({ error }) => error?.code)).toEqual([
        'VALIDATION_FAILED',
        'NOT_FOUND',
        'VALIDATION_FAILED',
        undefined,
        undefined,
        'CONFLICT',
      ]);
    }
  });
});

describe('putTeams', () => {
  const teams = async () =>
    (await owner.get<{ name: string; slug: string }[]>(`${at}/teams?sort=name`)).body.map(({ slug }) => slug);

  it('creates and changes teams by name, and creates no team twice', async () => {
    const crews = [{ name: 'Day crew', description: 'Early' }, { name: 'Night crew' }];
    const first = await put('putTeams', crews);
    expect(statuses(first)).toEqual(['created', 'created']);
    const second = await put('putTeams', [{ name: 'Day crew', description: null }, { name: 'Night crew' }]);
    expect(statuses(second)).toEqual(['updated', 'unchanged']);
    expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect((await owner.get(`/teams/${owner.id}/${first[0]!.id}`)).body).not.toHaveProperty('description');
    expect(statuses(await put('putTeams', [{ name: 'Late crew' }], undefined, true))).toEqual(['created']);
    expect(await teams()).toEqual(['day-crew', 'night-crew']);
  });

  it('renames a team by its identifier, and refuses the name of another', async () => {
    const [day, night] = await put('putTeams', [{ name: 'Day' }, { name: 'Night' }]);
    expect(await put('putTeams', [{ id: day!.id, name: 'Early' }])).toMatchObject([{ status: 'updated', id: day!.id }]);
    expect(await teams()).toEqual(['early', 'night']);
    const refused = await put('putTeams', [
      { id: night!.id, name: 'Early' },
      { id: owner.id, name: 'Late' },
      { name: ' ' },
      { id: day!.id, name: 'Later' },
    ]);
    expect(refused.map(({ status, error }) => [status, error?.code, error?.errors[0]?.path])).toEqual([
      ['failed', 'CONFLICT', 'name'],
      ['failed', 'NOT_FOUND', undefined],
      ['failed', 'VALIDATION_FAILED', 'name'],
      ['updated', undefined, undefined],
    ]);
    const twice = await put('putTeams', [{ id: day!.id, name: 'Last' }, { name: 'Later' }]);
    expect(twice.map(({ status, error }) => error?.message ?? status)).toEqual([
      'updated',
      'Item 0 already puts this thing.',
    ]);
    expect(await teams()).toEqual(['last', 'night']);
  });

  it('asks for the identifier of a team whose name another has', async () => {
    const ids = await Promise.all([1, 2].map(() => owner.make(`${at}/teams`, { name: 'Twins' })));
    const answer = await put('putTeams', [{ name: 'Twins', description: 'Which?' }]);
    const message = '2 have this name: send the `id` of the one to change.';
    expect(answer).toMatchObject([
      { status: 'failed', error: { code: 'CONFLICT', message, errors: [{ path: 'name' }] } },
    ]);
    expect(await put('putTeams', [{ id: ids[1], name: 'Twins', description: 'The second' }])).toMatchObject([
      { status: 'updated', id: ids[1] },
    ]);
  });
});

describe('putTeamMembers and putTeamApplications', () => {
  it('puts members and grants once, by identifier or key', async () => {
    const member = await world.member(owner, Role.member);
    const stranger = await world.user();
    const teamId = await owner.make(`${at}/teams`, { name: 'Crew' });
    const { username } = (await owner.get<{ username: string }[]>(`${at}/members`)).body[0]!;
    const members = [{ username }, { memberId: stranger }, { memberId: member.id }, {}];
    const first = await put('putTeamMembers', members, teamId);
    expect(first.map(({ status, error }) => error?.code ?? status)).toEqual([
      'created',
      'NOT_FOUND',
      'VALIDATION_FAILED',
      'VALIDATION_FAILED',
    ]);
    expect(statuses(await put('putTeamMembers', [{ memberId: member.id }], teamId))).toEqual(['unchanged']);

    await put('putApplications', [{ externalId: 'a', name: 'Field' }]);
    const grant = { externalId: 'a', permission: 'read' };
    expect(statuses(await put('putTeamApplications', [grant], teamId, true))).toEqual(['created']);
    expect(statuses(await put('putTeamApplications', [grant], teamId))).toEqual(['created']);
    expect(statuses(await put('putTeamApplications', [grant], teamId))).toEqual(['unchanged']);
    expect(statuses(await put('putTeamApplications', [{ ...grant, permission: 'write' }], teamId))).toEqual([
      'updated',
    ]);
    const granted = await member.get<object[]>(`${at}/applications`);
    expect(granted.body).toMatchObject([{ permission: 'write' }]);
  });

  it('tells one of eight calls at once that it created a member or a grant', async () => {
    const member = await world.member(owner, Role.member);
    await put('putApplications', [{ externalId: 'raced', name: 'Field' }]);
    const eight = Array.from({ length: 8 });
    for (let round = 0; round < 5; round++) {
      const teamId = await owner.make(`${at}/teams`, { name: `Crew ${round}` });
      const grant = { externalId: 'raced', permission: 'read' };
      const members = await Promise.all(eight.map(() => put('putTeamMembers', [{ memberId: member.id }], teamId)));
      const grants = await Promise.all(eight.map(() => put('putTeamApplications', [grant], teamId)));
      for (const answers of [members, grants]) {
        const heard = answers.map(([item]) => item!.status).sort();
        expect(heard).toEqual(['created', ...eight.slice(1).map(() => 'unchanged')]);
      }
    }
  });

  it('writes one event of a member and a grant that eight calls add at once', async () => {
    const eight = Array.from({ length: 8 });
    const teamId = await owner.make(`${at}/teams`, { name: 'Crew' });
    const applicationId = await owner.make(`${at}/applications`, { name: 'Field' });
    const userId = await world.user();
    const changedBy = async (action: string) =>
      (await owner.get<{ changes: object[] }[]>(`${at}/audit?action=${action}`)).body.filter(
        ({ changes }) => changes.length > 0,
      );
    await Promise.all(eight.map(() => owner.put(`${at}/members/${userId}`, { role: 'member' })));
    await Promise.all(
      eight.map(() => owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'read' })),
    );
    expect(await changedBy('setOrganizationMember')).toHaveLength(1);
    expect(await changedBy('setTeamApplication')).toHaveLength(1);
  });
});

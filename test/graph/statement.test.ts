import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import { useWorld, type World } from '../support/world.js';
import { fillOrganization } from './fleet.js';

const world = useWorld();

/** Each edge, below a page of 100 of its parents; a page of edges is asked for with one item, so that costs stay small. */
const one = '(limit: 1) { totalCount items { id } }';
const edges: Record<string, string> = {
  'organization.members': `members${one}`,
  'organization.teams': `teams${one}`,
  'organization.products': `products${one}`,
  'organization.devices': `devices${one}`,
  'organization.applications': `applications${one}`,
  'organization.tokens': `tokens${one}`,
  'member.teams': `members(limit: 100) { items { id role teams${one} } }`,
  'team.members': `teams(limit: 100) { items { members${one} } }`,
  'team.applications': `teams(limit: 100) { items { applications${one} } }`,
  'team.grants': 'teams(limit: 100) { items { grants(limit: 1) { items { permission application { name } } } } }',
  'team.organization': 'teams(limit: 100) { items { organization { name memberCount role } } }',
  'product.devices': `products(limit: 100) { items { devices${one} } }`,
  'product.organization': 'products(limit: 100) { items { organization { memberCount } } }',
  'device.product': 'devices(limit: 100) { items { product { name deviceCount variables { name } } } }',
  'device.applications': `devices(limit: 100) { items { applications${one} } }`,
  'device.latest': 'devices(limit: 100) { items { latest { name ts value } } }',
  'device.organization': 'devices(limit: 100) { items { organization { memberCount } } }',
  'application.devices': `applications(limit: 100) { items { devices${one} } }`,
  'application.teams': `applications(limit: 100) { items { teams${one} } }`,
  'application.hooks': `applications(limit: 100) { items { hooks${one} } }`,
  'application.deliveries': `applications(limit: 100) { items { deliveries${one} } }`,
  'hook.application': 'applications(limit: 100) { items { hooks(limit: 1) { items { application { name } } } } }',
  'hook.deliveries': `applications(limit: 100) { items { hooks(limit: 1) { items { deliveries${one} } } } }`,
  'hook.settings': 'applications(limit: 100) { items { hooks(limit: 1) { items { settings { circuit } } } } }',
  'hook.stats': 'applications(limit: 100) { items { hooks(limit: 1) { items { stats { pending } } } } }',
  'delivery.application, hook and device': `applications(limit: 100) { items {
    deliveries(limit: 1) { items { application { name } hook { url } device { serial } } } } }`,
  'token.user': 'tokens(limit: 100) { items { user { username } organization { name } } }',
};

const dashboards: Record<string, string> = {
  'the fleet at a glance': `devices(limit: 100) { totalCount items { name serial product { name } latest { name value }
    applications(limit: 3) { totalCount items { name } } } }`,
  'who may see what': `members(limit: 100) { items { username role teams(limit: 2) { items { name
    grants(limit: 2) { items { permission application { name } } } } } } }`,
  'the health of hooks': `applications(limit: 100) { items { name hooks(limit: 2) { items { url disabled stats { pending successRate }
    settings { circuit } deliveries(limit: 2) { items { successful device { serial } } } } } } }`,
  'products in use': `products(limit: 100) { items { name deviceCount devices(limit: 3) { totalCount items { serial
    applications(limit: 2) { items { name } } } } } }`,
  'everything of a screen': `name memberCount teams { items { name members { items { username } } } }
    applications(limit: 100) { items { name teams(limit: 2) { items { name } } devices(limit: 3) { items { serial product { name } } } } }`,
};

/** Statements sent, but for what goes on by itself: jobs, deliveries and upkeep. */
const sent: string[] = [];
const byItself =
  /\bjob\b|delivery_partition|delivery_open|record_dirty|record_key|retention|pg_try_advisory|deleted_hook|claim/;
const { query } = pg.Client.prototype;

type OrganizationActor = Awaited<ReturnType<World['organization']>>;

let single: OrganizationActor;
let hundred: OrganizationActor;

beforeAll(async () => {
  single = await world.organization();
  hundred = await world.organization();
  await fillOrganization(world.pool, single.id, 1);
  await fillOrganization(world.pool, hundred.id, 100);
  await world.pool.query('analyze');
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]): unknown {
      const [first] = args;
      const text = typeof first === 'string' ? first : (first as { text: string }).text;
      if (!byItself.test(text)) sent.push(text.trim());
      return Reflect.apply(query, this, args);
    },
  });
});
afterAll(() => {
  Object.assign(pg.Client.prototype, { query });
});

async function statements(owner: OrganizationActor, selection: string): Promise<string[]> {
  sent.length = 0;
  const { body } = await owner.graph(`query ($o: ID!) { organization(organizationId: $o) { ${selection} } }`, {
    o: owner.id,
  });
  expect(body.errors).toBeUndefined();
  return sent.filter((text) => /^(select|with wanted)/.test(text)).sort();
}

describe('the number of SQL statements is the same for 1 and for 100 parents', () => {
  it.each(Object.entries(edges))('along %s', async (_edge, selection) => {
    const few = await statements(single, selection);
    const many = await statements(hundred, selection);
    expect(many).toEqual(few);
    expect(few.length).toBeGreaterThan(2);
  });

  it.each(Object.entries(dashboards))('on a dashboard: %s', async (_name, selection) => {
    const few = await statements(single, selection);
    const many = await statements(hundred, selection);
    expect(many).toEqual(few);
  });
});

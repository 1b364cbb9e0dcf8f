import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useWorld, type World } from '../support/world.js';
import { fillOrganization } from './fleet.js';

const world = useWorld();

const documents = [...readFileSync('docs/graphql.md', 'utf8').matchAll(/```graphql\n(query (\w+)[^`]+)```/g)].map(
  ([, text, name]) => ({ name, text: text! }),
);

let owner: Awaited<ReturnType<World['organization']>>;
let variables: object;

beforeAll(async () => {
  owner = await world.organization();
  await fillOrganization(world.pool, owner.id, 3);
  const device = await world.pool.query('select serial from device where organization_id = $1 order by id', [owner.id]);
  const serials = (device.rows as { serial: string }[]).map(({ serial }) => serial);
  const records = serials.map((serial, index) => ({
    serial,
    ts: 1_700_000_000 + index,
    data: { temperature: 20 + index },
  }));
  await owner.post(`/organizations/${owner.id}/records`, records);
  const { body } = await owner.graph('{ account { applications { items { id } } } }');
  variables = { organizationId: owner.id, applicationId: body.data!.account.applications.items[0].id };
});

describe('the documents of docs/graphql.md', () => {
  it('are ten', () => {
    expect(documents).toHaveLength(10);
  });

  it.each(documents)('$name answers without a fault and with something in it', async ({ text }) => {
    const { status, body } = await owner.graph(text, variables);
    expect(status).toBe(200);
    expect(body.errors).toBeUndefined();
    expect(JSON.stringify(body.data)).toMatch(/"(items|responses)":\[\{|"totalCount":[1-9]/);
  });

  it('chart what was measured', async () => {
    const { text } = documents.find(({ name }) => name === 'Chart')!;
    const { body } = await owner.graph(text, variables);
    const { buckets } = body.data!.search.responses[0].aggregations.devices;
    expect(buckets).toHaveLength(2);
    for (const { hours } of buckets) expect(hours.buckets[0].mean.value).toBeGreaterThanOrEqual(20);
  });
});

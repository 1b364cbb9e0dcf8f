import { beforeAll, describe, expect, it } from '@jest/globals';
import { useWorld, type World } from '../support/world.js';

const world = useWorld();
let owner: Awaited<ReturnType<World['organization']>>;

/**
 * Creates devices that are in three applications, in one and in none, and teams in the same way. The links are created
 * in the order C, A, B.
 */
beforeAll(async () => {
  owner = await world.organization();
  const run = (text: string) => world.pool.query(text, [owner.id]);
  await run(`insert into application (id, organization_id, name, slug, created_at, updated_at)
    select gen_random_uuid(), $1, name, lower(name), now(), now() from unnest('{A,B,C}'::text[]) name`);
  await run(`insert into team (id, organization_id, name, slug, created_at, updated_at)
    select gen_random_uuid(), $1, name, name, now(), now() from unnest('{all,one,none}'::text[]) name`);
  await run(`insert into device (id, organization_id, serial, name, slug, created_at, updated_at)
    select id, $1, name, name, slug, now(), now() from team where organization_id = $1`);
  const linked = `from application a, (values ('C', 1), ('A', 2), ('B', 3)) turn(name, nth)
    where a.organization_id = $1 and a.name = turn.name and (x.name = 'all' or (x.name = 'one' and nth = 2))`;
  const links = `a.id, x.id, now() + nth * interval '1 second'`;
  await run(`insert into application_device (organization_id, application_id, device_id, created_at)
    select $1, links.* from device x, lateral (select ${links} ${linked}) links where x.organization_id = $1`);
  await run(`insert into team_application (organization_id, application_id, team_id, created_at, permission)
    select $1, links.*, 'read' from team x, lateral (select ${links} ${linked}) links where x.organization_id = $1`);
});

interface Named {
  name: string;
  below: { totalCount?: number; items: { name: string }[] };
}

/** Returns the names below each parent, keyed by the parent's name, after the total count when it was requested. */
async function below(parents: string, edge: string): Promise<object> {
  const { body } = await owner.graph(
    `query ($o: ID!) { ${parents}(organizationId: $o) { items { name below: ${edge} } } }`,
    { o: owner.id },
  );
  expect(body.errors).toBeUndefined();
  const { items } = body.data![parents] as { items: Named[] };
  return Object.fromEntries(
    items.map(({ name, below: { totalCount, items: names } }) => [
      name,
      [...(totalCount === undefined ? [] : [totalCount]), ...names.map((each) => each.name)],
    ]),
  );
}

describe.each(['devices', 'teams'])('applications of %s', (parents) => {
  it('returns them in the order of linking, each below its own parent', async () => {
    expect(await below(parents, 'applications { items { name } }')).toEqual({
      all: ['C', 'A', 'B'],
      one: ['A'],
      none: [],
    });
  });

  it('returns pages with the total count of each parent', async () => {
    const second = await below(parents, 'applications(limit: 2, page: 2) { totalCount items { name } }');
    expect(second).toEqual({ all: [3, 'B'], one: [1], none: [0] });
  });

  it('sorts and filters as requested', async () => {
    const sorted = await below(parents, 'applications(limit: 2, sort: "-name") { items { name } }');
    expect(sorted).toEqual({ all: ['C', 'B'], one: ['A'], none: [] });
    const found = await below(parents, 'applications(q: "[bc]", sort: "name") { totalCount items { name } }');
    expect(found).toEqual({ all: [2, 'B', 'C'], one: [0], none: [0] });
  });
});

it('sorts the teams of each application by name in GraphQL, and counts all of them', async () => {
  const teams = await below('applications', 'teams(sort: "name") { totalCount items { name } }');
  expect(teams).toEqual({ A: [2, 'all', 'one'], B: [1, 'all'], C: [1, 'all'] });
});

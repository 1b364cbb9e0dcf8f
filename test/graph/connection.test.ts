import { describe, expect, it } from '@jest/globals';
import {
  at,
  connections,
  faultOf,
  ids,
  inApplication,
  named,
  owner,
  type Part,
  part,
  useConnections,
  walk,
} from './connected.js';

useConnections();

describe.each(named)('$name', (connected) => {
  it('returns each item once while items are created and deleted', async () => {
    const before = await walk(connected, { first: 100 });
    expect(before.length).toBeGreaterThanOrEqual(4);
    const gone = new Set<string>();
    let rounds = 0;
    const given = await walk(connected, { first: 2 }, async (soFar) => {
      if (++rounds > 2) return;
      await connected.make();
      // Deletes one item that was already returned and one that was not.
      for (const id of connected.remove ? [soFar.at(-1)!, before.at(-rounds)!] : []) {
        if (Object.values(ids).includes(id)) continue;
        await connected.remove?.(id);
        if (!soFar.includes(id)) gone.add(id);
      }
    });
    expect(new Set(given).size).toBe(given.length);
    expect(before.filter((id) => !gone.has(id) && !given.includes(id))).toEqual([]);
    expect(given.filter((id) => gone.has(id))).toEqual([]);
  });

  it('returns VALIDATION_FAILED for `first` outside 1 to 1000', async () => {
    for (const first of [0, -1, 1001]) {
      expect(await faultOf(connected, { first })).toMatchObject({
        message: 'first must be between 1 and 1000.',
        extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'first' }] },
      });
    }
  });
});

describe('GraphQL connections', () => {
  it('refuses a cursor from another sort order', async () => {
    const [devices] = connections;
    const { pageInfo } = await part(devices!, { sort: 'name' });
    for (const sort of [null, '-name', 'serial']) {
      expect(await faultOf(devices!, { sort, after: pageInfo.endCursor })).toMatchObject({
        extensions: { errors: [{ path: 'after' }] },
      });
    }
  });

  it("refuses a cursor from another parent's list", async () => {
    const other = await owner.make(at('organizations/$o/applications'), { name: 'Other' });
    const devices = connections.find(({ above, page }) => above === inApplication && page === 'devices')!;
    const { pageInfo } = await part(devices, {});
    expect(await faultOf(devices, { application: other, after: pageInfo.endCursor })).toMatchObject({
      extensions: { errors: [{ path: 'after' }] },
    });
  });

  it('charges the same as a page of that size, and names `first` in the refusal', async () => {
    const costOf = async (field: string, items: string) => {
      const query = `query ($o: ID!) { organization(organizationId: $o) { ${field} { ${items} { id product { id } } } } }`;
      const { body } = await owner.postGraph<{ extensions: { cost: object } }>({
        query: query.replace(
          'edges { id product { id } }',
          'edges { node { id product { id } } } pageInfo { endCursor }',
        ),
        variables: { o: ids.o },
        extensions: { cost: true },
      });
      return body.extensions.cost;
    };
    const page = await costOf('devices(limit: 50)', 'items');
    expect(await costOf('devicesConnection(first: 50)', 'edges')).toEqual(page);
    expect(await costOf('devicesConnection(first: 50)', 'nodes')).toEqual(page);
    const { body } = await owner.graph(
      `query ($o: ID!) { organization(organizationId: $o) { devicesConnection(first: 1000) { nodes { ${Array.from({ length: 26 }, (_, nth) => `p${nth}: product { id }`).join(' ')} } } } }`,
      { o: ids.o },
    );
    expect(body.errors?.[0]?.message).toContain('with `first: ');
  });

  it("returns each parent's own items below many parents at once", async () => {
    const query = `query ($o: ID!) {
      applications(organizationId: $o, limit: 3) { items { id devicesConnection(first: 1) { totalCount edges { cursor node { id } } pageInfo { hasNextPage } } } }
    }`;
    const { body } = await owner.graph(query, { o: ids.o });
    expect(body.errors).toBeUndefined();
    const found = body.data!['applications'].items as { id: string; devicesConnection: Part }[];
    const [first] = (await walk(connections[2]!, {})).slice(0, 1);
    for (const { id, devicesConnection } of found) {
      const mine = id === ids.application;
      expect(devicesConnection.edges.map(({ node }) => node.id)).toEqual(mine ? [first] : []);
      expect(devicesConnection.pageInfo.hasNextPage).toBe(mine);
    }
  });
});

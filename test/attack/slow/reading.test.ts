import { beforeAll, describe, expect, it } from '@jest/globals';
import { Actor } from '../../support/actor.js';
import { useService } from '../../support/service.js';
import { createTenant, type Tenant, withDatabase } from '../../support/tenant.js';

const service = useService({});
const devices = 60_000;
let attacker: Tenant;
let neighbour: Tenant;

beforeAll(async () => {
  [attacker, neighbour] = [await createTenant(service), await createTenant(service)];
  await withDatabase(service, async (db) => {
    await db.query(
      `insert into device (id, organization_id, serial, name, slug, created_at, updated_at)
       select gen_random_uuid(), $1, 'serial-' || n, 'device ' || n, 'slug-' || n, now(), now()
         from generate_series(1, ${devices}) n`,
      [attacker.id],
    );
    await db.query('analyze device');
  });
}, 180_000);

/** Sends requests one after the other during the attack, and returns the longest response time in milliseconds. */
async function longestDuring(attack: Promise<unknown>, ask: () => Promise<number>): Promise<number> {
  let going = true;
  const over = attack.finally(() => {
    going = false;
  });
  let longest = 0;
  while (going) {
    const begun = performance.now();
    expect(await ask()).toBe(200);
    longest = Math.max(longest, performance.now() - begun);
  }
  await over;
  return longest;
}

describe('slow lists of one organization', () => {
  it('delays neither authentication nor readiness nor reads of another organization', async () => {
    const aliases = Array.from({ length: 29 }, (_, alias) => alias);
    const list = (alias: number) =>
      `p${alias}: devices(organizationId: "${attacker.id}", sort: "-applicationCount", limit: 1, page: $p${alias}) { items { id } }`;
    const query = `query (${aliases.map((alias) => `$p${alias}: Int`).join(', ')}) { ${aliases.map(list).join(' ')} }`;
    const pagesOf = (operation: number) =>
      Object.fromEntries(aliases.map((alias) => [`p${alias}`, 59_000 - operation * 29 - alias]));
    const batch = Array.from({ length: 20 }, (_, operation) => ({ query, variables: pagesOf(operation) }));
    const actor = new Actor(service.url, attacker.owner.token);
    const path = `/organizations/${neighbour.id}`;
    const ask = async () => {
      // An idle connection may be closed just when it is used again.
      const readiness = () => fetch(`${service.url}/readyz`);
      const [ready, read] = await Promise.all([readiness().catch(readiness), neighbour.owner.get(path)]);
      return Math.max(ready.status, read.status);
    };
    // The connections are open, the statements prepared and the operation compiled by now.
    expect([(await actor.graph(query, pagesOf(0))).status, await ask()]).toEqual([200, 200]);
    const longest = await longestDuring(Promise.all([actor.postGraph(batch), actor.postGraph(batch)]), ask);
    expect(longest).toBeLessThan(10_000);
  }, 120_000);
});

describe('slow q patterns of one organization', () => {
  it('delays no q pattern of another organization', async () => {
    const slow = encodeURIComponent('(.*.*.*.*x){4}$');
    const quick = `/organizations/${neighbour.id}/devices?q=x`;
    expect((await neighbour.owner.get(quick)).status).toBe(200);
    const paths = Array.from({ length: 30 }, () => `/organizations/${attacker.id}/devices?q=${slow}`);
    const attack = Promise.all(paths.map((path) => attacker.owner.get(path)));
    const longest = await longestDuring(attack, async () => (await neighbour.owner.get(quick)).status);
    expect(longest).toBeLessThan(10_000);
  }, 120_000);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Role } from '#entities/enums.js';
import type { Graph } from '../../src/clients/configuration/client.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { documents, faulty } from './documents.js';
import { Organization } from './organization.js';

/** Tries `ddp apply` with random organizations and files. */
export function describeProperties({ seed, runs }: { seed: number; runs: number }): void {
  /** Milliseconds of a test; a run takes some seconds on a busy machine. */
  const timeout = 60_000 + runs * 30_000;
  const world = useWorld();
  const people: { id: string; username: string }[] = [];

  beforeAll(async () => {
    const first = await world.organization();
    for (let index = 0; index < 2; index++) await world.member(first, Role.member);
    people.push(...(await first.get<typeof people>(`/organizations/${first.id}/members?limit=100`)).body);
  });
  afterAll(() => void people.splice(0));

  /** An organization with the same members as all others. */
  const fresh = async (): Promise<Organization> => {
    const owner: AccountActor = await world.organization();
    for (const { id } of people) await owner.put(`/organizations/${owner.id}/members/${id}`, { role: Role.member });
    return new Organization(world.url, owner);
  };
  const check = async <Values extends [unknown, ...unknown[]]>(
    given: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
    predicate: (...values: Values) => Promise<void>,
  ) => fc.assert(fc.asyncProperty(...given, predicate), { seed, numRuns: runs, endOnFailure: true });
  const documentOf = () => documents(people.map(({ username }) => username));
  const prune = { prune: true };
  const applyAll = async (organization: Organization, document: object) => {
    const { faults, done, lines } = await organization.apply(document, prune);
    expect(faults).toEqual([]);
    expect(done).toBe(lines.length);
  };

  describe('ddp apply of random files to random organizations', () => {
    it(
      'makes any organization equal to the one that was exported',
      () =>
        check([documentOf(), documentOf()], async (before, after) => {
          const [source, copy, other] = [await fresh(), await fresh(), await fresh()];
          await applyAll(source, after);
          const exported = await source.export();
          await applyAll(copy, exported);
          expect(await copy.export()).toEqual(exported);
          await applyAll(other, before);
          const hooksBefore = await hookIds(other);
          expect((await other.apply(exported, { prune: true, dryRun: true })).faults).toEqual([]);
          await applyAll(other, exported);
          expect(await other.export()).toEqual(exported);
          for (const document of [exported, after]) expect((await other.apply(document, prune)).lines).toEqual([]);
          // A hook that both files name keeps its identity, and with it its secrets.
          const hooks = await hookIds(other);
          for (const [key, id] of hooksBefore) expect([undefined, id]).toContain(hooks.get(key));
        }),
      timeout,
    );

    it(
      'has the same result after it was killed in the middle',
      () =>
        check([documentOf(), documentOf(), fc.integer({ min: 1, max: 12 })], async (before, after, calls) => {
          const [source, other] = [await fresh(), await fresh()];
          await applyAll(source, after);
          const exported = await source.export();
          await applyAll(other, before);
          await other.apply(exported, prune, killedAfter(other.graph, calls)).catch((error: Error) => {
            expect(error.message).toBe('killed');
          });
          await world.pool.query(`update configuration_lease set expires_at = now() - interval '1 s'`);
          await applyAll(other, exported);
          expect(await other.export()).toEqual(exported);
        }),
      timeout,
    );

    it(
      'has the result of one of two files that are applied at once',
      () =>
        check([documentOf(), documentOf()], async (one, two) => {
          const [first, second, both] = [await fresh(), await fresh(), await fresh()];
          await Promise.all([applyAll(first, one), applyAll(second, two)]);
          const files = [await first.export(), await second.export()];
          await Promise.all(files.map((file) => applyAll(both, file)));
          expect(files).toContainEqual(await both.export());
        }),
      timeout,
    );

    it(
      'fails if and only if the dry run has faults, and then applies the same file without them',
      () =>
        check([documentOf(), faulty(documentOf())], async (before, wrong) => {
          const organization = await fresh();
          await applyAll(organization, before);
          const dry = await organization.apply(wrong, { prune: true, dryRun: true });
          expect(dry.faults.length).toBeGreaterThan(0);
          const { faults } = await organization.apply(wrong, prune);
          expect(faults).toEqual(expect.arrayContaining(dry.faults));
          // Nothing that the organization had and the file names is gone.
          const { applications, products } = await organization.export();
          expect(Object.keys(products)).toEqual(expect.arrayContaining(Object.keys(before['products']!)));
          expect(Object.keys(applications)).toEqual(expect.arrayContaining(Object.keys(before['applications']!)));
        }),
      timeout,
    );
  });
}

async function hookIds({ owner }: Organization): Promise<Map<string, string>> {
  const query = '{ account { applications(limit: 50) { items { hooks { items { externalId id } } } } } }';
  const { body } = await owner.graph(query);
  const items = body.data!['account'].applications.items as {
    hooks: { items: { externalId: string; id: string }[] };
  }[];
  return new Map(items.flatMap(({ hooks }) => hooks.items.map(({ externalId, id }) => [externalId, id])));
}

/** A connection that breaks for good after some calls. */
function killedAfter(graph: Graph, calls: number): Graph {
  let left = calls;
  const step = () => {
    if (left-- <= 0) throw new Error('killed');
  };
  return {
    async ask(query, variables) {
      step();
      return graph.ask(query, variables);
    },
    async askAtomic(operations) {
      step();
      return graph.askAtomic(operations);
    },
  };
}

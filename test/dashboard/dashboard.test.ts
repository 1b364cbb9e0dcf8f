import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import type { Actor } from '../support/actor.js';
import { useWorld, type World } from '../support/world.js';
import { figure, makeApplication, readDashboard, save, saved } from './dashboard.js';

const world = useWorld();
let owner: Awaited<ReturnType<World['organization']>>;

beforeAll(async () => {
  owner = await world.organization();
});

const document = (...panels: object[]) => ({ format: 1, range: '24h', variables: [], panels });
const application = (hasDashboard = true) => makeApplication(owner, { hasDashboard });

const setFlag = (applicationId: string, hasDashboard: boolean) =>
  owner.put(`/applications/${owner.id}/${applicationId}`, { name: 'Cold chain', hasDashboard });

describe('dashboard of an application', () => {
  it('reads as null without the flag, and as empty at version 0 with it', async () => {
    const id = await application(false);
    expect(await readDashboard(owner, id)).toBeNull();
    await setFlag(id, true);
    expect(await readDashboard(owner, id)).toEqual({
      applicationId: id,
      version: 0,
      document: document(),
      updatedAt: null,
      updatedBy: null,
    });
  });

  it('returns the document as it was saved, with who saved it and when', async () => {
    const id = await application();
    const member = await world.member(owner, Role.owner);
    const title = `Quotes ' " \\ ? $1 : ☃ \u2028`;
    const first = document({ ...figure, title });
    expect(await saved(member, { owner, id, version: 0, document: first })).toBe(1);
    const dashboard = await readDashboard(owner, id);
    expect(dashboard).toMatchObject({ version: 1, document: first, updatedBy: { id: member.id } });
    expect(Date.parse(dashboard!.updatedAt!)).toBeGreaterThan(Date.now() - 60_000);
    expect(await saved(owner, { owner, id, version: 1, document: document() })).toBe(2);
    expect(await readDashboard(owner, id)).toMatchObject({ version: 2, document: document(), updatedBy: null });
  });

  it('keeps the document while the flag is off', async () => {
    const id = await application();
    await saved(owner, { owner, id, version: 0, document: document(figure) });
    await setFlag(id, false);
    expect(await readDashboard(owner, id)).toBeNull();
    const refused = await save(owner, { owner, id, version: 1, document: document() });
    expect(refused.body.errors).toMatchObject([
      { message: expect.stringContaining('hasDashboard'), extensions: { code: 'CONFLICT' } },
    ]);
    await setFlag(id, true);
    expect(await readDashboard(owner, id)).toMatchObject({ version: 1, document: document(figure) });
  });

  it('stays as saved when putApplications changes the application', async () => {
    const id = await application();
    await saved(owner, { owner, id, version: 0, document: document(figure) });
    const put = await owner.graph(
      `mutation ($o: ID!, $id: ID!) { putApplications(organizationId: $o, applications: [{ id: $id, externalId: "kept", name: "Renamed" }]) {
        results { status } } }`,
      { o: owner.id, id },
    );
    expect(put.body.data!['putApplications'].results).toEqual([{ status: 'updated' }]);
    expect(await readDashboard(owner, id)).toMatchObject({ version: 1, document: document(figure) });
  });

  it('leaves no row when its application is deleted', async () => {
    const id = await application();
    await saved(owner, { owner, id, version: 0, document: document(figure) });
    expect((await owner.delete(`/applications/${owner.id}/${id}`)).status).toBe(204);
    const { rows } = await world.pool.query('select from dashboard where application_id = $1', [id]);
    expect(rows).toEqual([]);
  });

  it('stays when the account of the person who saved it is deleted', async () => {
    const id = await application();
    const member = await world.member(owner, Role.owner);
    await saved(member, { owner, id, version: 0, document: document(figure) });
    await world.pool.query('delete from account where id = $1', [member.id]);
    expect(await readDashboard(owner, id)).toMatchObject({ version: 1, updatedBy: null });
  });
});

describe('updateDashboard', () => {
  it('lets one of two writers of the same version save, and tells the other who came first', async () => {
    const id = await application();
    const writers = await Promise.all([world.member(owner, Role.owner), world.member(owner, Role.owner)]);
    for (const version of [0, 1]) {
      const answers = await Promise.all(
        writers.map((writer, index) =>
          save(writer, { owner, id, version, document: document({ ...figure, title: `${index}` }) }),
        ),
      );
      const codes = answers.map(({ body }) => body.errors?.[0]?.extensions.code ?? 'saved');
      expect([...codes].sort()).toEqual(['CONFLICT', 'saved']);
      const winner = codes.indexOf('saved');
      const stored = await readDashboard(owner, id);
      expect(stored).toMatchObject({
        version: version + 1,
        document: { panels: [{ title: `${winner}` }] },
        updatedBy: { id: writers[winner]!.id },
      });
      const { message } = answers[1 - winner]!.body.errors![0]!;
      expect(message).toContain(`${stored!.updatedBy!.username} saved version ${version + 1} at ${stored!.updatedAt}`);
    }
  });

  it.each([
    ['a later version', 3],
    ['the version before the first', 0],
  ])('returns CONFLICT for %s than the stored one', async (_name, version) => {
    const id = await application();
    await saved(owner, { owner, id, version: 0, document: document(figure) });
    const { body } = await save(owner, { owner, id, version, document: document() });
    expect(body.errors).toMatchObject([
      { message: expect.stringContaining('saved version 1'), extensions: { code: 'CONFLICT' } },
    ]);
  });

  it('returns CONFLICT for a version of a dashboard that was never saved', async () => {
    const { body } = await save(owner, { owner, id: await application(), version: 4, document: document() });
    expect(body.errors).toMatchObject([
      { message: expect.stringContaining('its version is 0'), extensions: { code: 'CONFLICT' } },
    ]);
  });

  it('returns VALIDATION_FAILED for a version below 0', async () => {
    const { body } = await save(owner, { owner, id: await application(), version: -1, document: document() });
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'version' }] } }]);
  });

  it('returns NOT_FOUND for an application of another organization, under each organization', async () => {
    const stranger = await world.organization();
    const id = await application();
    await saved(owner, { owner, id, version: 0, document: document(figure) });
    for (const under of [owner, stranger]) {
      const { body } = await save(stranger, { owner: under, id, version: 1, document: document() });
      expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    }
    expect(await readDashboard(owner, id)).toMatchObject({ version: 1, document: document(figure) });
  });

  it('leaves an event in the history of the application', async () => {
    const id = await application();
    const fields = (version: number, name: string) =>
      `updateDashboard(organizationId: $o, applicationId: $a, version: ${version}, document: $${name}) { version }`;
    const twice = `mutation ($o: ID!, $a: ID!, $d: JSON!, $e: JSON!) { first: ${fields(0, 'd')} second: ${fields(1, 'e')} }`;
    await owner.graph(twice, { o: owner.id, a: id, d: document(figure), e: document() });
    await save(owner, { owner, id, version: 1, document: document() });
    const query = `query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) {
      history { items { action changes { field before after } } } } }`;
    const { body } = await owner.graph(query, { o: owner.id, a: id });
    const events = (body.data!['application'].history.items as { action: string; changes: object[] }[]).filter(
      ({ action }) => action === 'updateDashboard',
    );
    expect(events.map(({ changes }) => changes)).toEqual([
      [{ field: 'dashboard', before: { version: 1, panels: 1 }, after: { version: 2, panels: 0 } }],
      [{ field: 'dashboard', before: null, after: { version: 1, panels: 1 } }],
    ]);
  });
});

describe('suggestDashboard', () => {
  const suggest = async (actor: Actor, id: string) => {
    const query = `query ($o: ID!, $a: ID!) { suggestDashboard(organizationId: $o, applicationId: $a) }`;
    const { body } = await actor.graph(query, { o: owner.id, a: id });
    return body.data!['suggestDashboard'] as { panels: { kind: string; title: string; x: number; w: number }[] };
  };

  it('makes panels from the variables of the products, which can be saved at once', async () => {
    const at = `/organizations/${owner.id}`;
    const id = await application();
    const variables = [
      { name: 'temperature', type: 'FLOAT32', unit: '°C' },
      { name: 'door', type: 'BOOL' },
      { name: 'note', type: 'TXT' },
    ];
    const productId = await owner.make(`${at}/products`, { name: 'Freezer', version: '1', variables });
    for (const serial of ['d1', 'd2']) {
      const location = { lat: 47, lon: 8 };
      const deviceId = await owner.make(`${at}/devices/${serial}`, { product: { id: productId }, location });
      await owner.put(`/applications/${owner.id}/${id}/devices/${deviceId}`);
    }
    const suggestion = await suggest(owner, id);
    // The panels of each row fill it, so that a wall has no empty half.
    expect(suggestion.panels.map(({ kind, title, x, w }) => [kind, title, x, w])).toEqual([
      ['figure', 'Freezer: temperature', 0, 12],
      ['series', 'temperature', 0, 12],
      ['timeline', 'door', 0, 6],
      ['timeline', 'note', 6, 6],
      ['map', 'Map', 0, 6],
      ['table', 'Freezer: newest values', 6, 6],
    ]);
    expect(suggestion.panels[1]).toMatchObject({
      sources: [{ product: productId, variable: 'data.temperature', unit: '°C' }],
    });
    expect(await saved(owner, { owner, id, version: 0, document: suggestion })).toBe(1);
  });

  it('makes an empty document for an application without devices', async () => {
    const id = await application(false);
    const suggestion = await suggest(owner, id);
    expect(suggestion).toEqual(document());
  });

  it('makes at most 24 panels, which do not overlap, of products with many variables', async () => {
    const at = `/organizations/${owner.id}`;
    const id = await application();
    const variables = Array.from({ length: 100 }, (_each, n) => ({ name: `v${n}`, type: n % 2 ? 'BOOL' : 'UINT16' }));
    for (const n of [1, 2, 3, 4, 5]) {
      const productId = await owner.make(`${at}/products`, { name: 'Long'.repeat(50), version: `${n}`, variables });
      const deviceId = await owner.make(`${at}/devices/e${n}`, { product: { id: productId } });
      await owner.put(`/applications/${owner.id}/${id}/devices/${deviceId}`);
    }
    const suggestion = await suggest(owner, id);
    expect(await saved(owner, { owner, id, version: 0, document: suggestion })).toBe(1);
    const cells = (suggestion.panels as unknown as Record<'x' | 'y' | 'w' | 'h', number>[]).flatMap(({ x, y, w, h }) =>
      Array.from({ length: w * h }, (_each, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#entities/id.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

let owner: AccountActor;
let at: string;
let applicationId: string;

beforeAll(async () => {
  owner = await world.organization();
  applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Doors' });
  at = `/applications/${owner.id}/${applicationId}`;
});

const productOf = (actor: AccountActor, type = 'BOOL') =>
  actor.make(`/organizations/${actor.id}/products`, {
    name: 'Door',
    version: '1',
    variables: [{ name: 'door', type }],
  });

const ruleOf = (products: string[], value: unknown = 3) => ({
  kind: 'threshold',
  products,
  when: { any: [{ variable: 'door', operator: 'eq', value }] },
});

describe('alert rule with products', () => {
  it.each([
    ['creates', () => `${at}/alert-rules`, { name: 'Open' }],
    ['previews', () => `${at}/alert-rules/preview`, {}],
  ])('answers one who %s it with a private product of others as if there were none', async (_what, path, also) => {
    const theirs = await productOf(await world.organization());
    for (const value of [3, true]) {
      const answer = await owner.post(path(), { ...ruleOf([theirs], value), ...also });
      expect([value, answer.status]).toEqual([value, 404]);
    }
  });

  it('returns 404 for a product whose identifier has another form', async () => {
    const named = { name: 'Open', ...ruleOf(['x']) };
    expect((await owner.post(`${at}/alert-rules/preview`, ruleOf(['x']))).status).toBe(404);
    expect((await owner.post(`${at}/alert-rules`, named)).status).toBe(404);
    const ruleId = await owner.make(`${at}/alert-rules`, { ...named, products: [] });
    expect((await owner.put(`${at}/alert-rules/${ruleId}`, named)).status).toBe(404);
  });

  it('keeps a product that was deleted, so it can be renamed and disabled, but takes no other that is gone', async () => {
    const [productId, goneId] = [await productOf(owner), await productOf(owner)];
    const path = `${at}/alert-rules/${await owner.make(`${at}/alert-rules`, { name: 'Open', ...ruleOf([productId], true) })}`;
    for (const id of [productId, goneId])
      expect((await owner.delete(`/products/${owner.id}/${id}`)).status).toBeLessThan(300);
    expect(await owner.put(path, { name: 'Renamed' })).toMatchObject({ status: 200, body: { name: 'Renamed' } });
    const whole = (await owner.get<object>(path)).body;
    expect(await owner.put(path, { ...whole, disabled: true })).toMatchObject({
      status: 200,
      body: { disabled: true },
    });
    expect((await owner.put(path, { name: 'Renamed', products: [productId, goneId] })).status).toBe(404);
  });

  it('keeps its conditions when a variable gets another type, so it can be renamed and disabled', async () => {
    const productId = await productOf(owner);
    const path = `${at}/alert-rules/${await owner.make(`${at}/alert-rules`, { name: 'Open', ...ruleOf([productId], true) })}`;
    const changed = { name: 'Door', version: '2', variables: [{ name: 'door', type: 'TXT' }] };
    expect((await owner.put(`/products/${owner.id}/${productId}`, changed)).status).toBe(200);
    const whole = (await owner.get<object>(path)).body;
    expect((await owner.put(path, { ...whole, name: 'Renamed', disabled: true })).status).toBe(200);
    expect((await owner.put(path, { name: 'x', when: ruleOf([], 3).when })).status).toBe(422);
  });
});

describe('search with the private product of another organization', () => {
  it('answers as with a product that does not exist, whatever its types', async () => {
    const theirs = await productOf(await world.organization(), 'FLOAT32');
    const ask = async (product: string) =>
      (
        await owner.post<{ responses: object[] }>(`${at}/search`, {
          ts: { gte: 0, lte: 1 },
          queries: [{ products: [product], query: { term: { 'data.door': 'shut' } } }],
        })
      ).body.responses.map((response) => ({ ...response, took: 0 }));
    expect(await ask(theirs)).toEqual(await ask(newId()));
  });
});

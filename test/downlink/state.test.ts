import { beforeAll, describe, expect, it } from '@jest/globals';
import { Actor } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

interface Part {
  name: string;
  desired?: unknown;
  version: number;
  reported?: unknown;
  settled: boolean;
}

let owner: AccountActor;
let count = 0;
beforeAll(async () => {
  owner = await world.organization();
});

async function newDevice(product?: { id: string }) {
  const serial = `5a-${String(++count).padStart(4, '0')}`;
  const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`, product && { product });
  const path = `/devices/${owner.id}/${id}`;
  const { body } = await owner.post<{ token: string }>(`${path}/tokens`);
  const self = new Actor(world.url, body.token);
  const shown = ({ body: { state } }: { body: { state: Part[] } }) =>
    state.map(({ name, desired = null, version, reported = null, settled }) => ({
      name,
      desired,
      version,
      reported,
      settled,
    }));
  return {
    path,
    self,
    desire: async (desired: object) => shown(await owner.put<{ state: Part[] }>(`${path}/state`, { desired })),
    report: async (reported: object, versions?: object) =>
      shown(await self.post<{ state: Part[] }>(`${path}/state`, { reported, ...(versions && { versions }) })),
    read: async () => shown(await owner.get<{ state: Part[] }>(`${path}/state`)),
  };
}

describe('state of a device', () => {
  it('settles once the device reports what is desired, and stays so when the device changes later', async () => {
    const { desire, report, read } = await newDevice();
    expect(await desire({ setPoint: 21.5 })).toEqual([
      { name: 'setPoint', desired: 21.5, version: 1, reported: null, settled: false },
    ]);
    expect(await report({ setPoint: 19 })).toMatchObject([{ reported: 19, settled: false }]);
    expect(await report({ setPoint: 21.5 })).toMatchObject([{ reported: 21.5, settled: true }]);
    expect(await report({ setPoint: 25 })).toMatchObject([{ desired: 21.5, reported: 25, settled: true }]);
    expect(await desire({ setPoint: 21.5 })).toMatchObject([{ version: 2, settled: false }]);
    expect(await desire({ setPoint: 21.5 })).toMatchObject([{ version: 2, settled: false }]);
    expect(await read()).toMatchObject([{ version: 2, reported: 25 }]);
  });

  it('settles by another value that the device reports for the version', async () => {
    const { desire, report } = await newDevice();
    await desire({ level: 200 });
    expect(await report({ level: 100 }, { level: 1 })).toMatchObject([{ reported: 100, settled: true }]);
    expect(await desire({ level: 150 })).toMatchObject([{ version: 2, settled: false }]);
    expect(await report({ level: 100 }, { level: 1 })).toMatchObject([{ settled: false }]);
  });

  it('settles at once for a desired value that the device reports already, or none', async () => {
    const { desire, report } = await newDevice();
    await report({ mode: 'eco' });
    expect(await desire({ mode: 'eco' })).toMatchObject([{ version: 1, settled: true }]);
    await desire({ mode: 'party' });
    expect(await desire({ mode: null })).toMatchObject([{ desired: null, settled: true, reported: 'eco' }]);
    expect(await report({ mode: null })).toMatchObject([{ reported: null }]);
  });

  it('takes the types that the product declares from people, and any plain value from the device', async () => {
    const id = await owner.make(`/organizations/${owner.id}/products`, { name: 'Valve', version: '1', variables: [] });
    await owner.graph(
      `mutation ($o: ID!, $p: ID!) { putProductSettings(organizationId: $o, productId: $p, settings:
        { state: [{ name: "open", type: BOOL }] }) { id } }`,
      { o: owner.id, p: id },
    );
    const { path, desire, report } = await newDevice({ id });
    expect(await owner.put(`${path}/state`, { desired: { open: 1 } })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'desired.open', message: 'must be true or false' }] },
    });
    await desire({ open: true });
    expect(await report({ open: 'stuck', battery: 80 })).toMatchObject([
      { name: 'battery', reported: 80 },
      { name: 'open', reported: 'stuck', settled: false },
    ]);
  });

  it('refuses a hundred and first name, and stores nothing of that call', async () => {
    const { path, self, report, read } = await newDevice();
    const names = (length: number) => Object.fromEntries(Array.from({ length }, (_, index) => [`n${index}`, index]));
    expect(await self.post(`${path}/state`, { reported: names(101) })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'reported' }] },
    });
    expect(await read()).toEqual([]);
    await report(names(100));
    expect(await owner.put(`${path}/state`, { desired: { more: 1 } })).toMatchObject({ status: 422 });
    expect(await read()).toHaveLength(100);
  });

  it('refuses values that are not plain, with their places', async () => {
    const { path, self } = await newDevice();
    expect((await self.post(`${path}/state`, { reported: { a: [1], b: {}, c: 'x'.repeat(1025) } })).body).toMatchObject(
      {
        errors: [{ path: 'reported.a' }, { path: 'reported.b' }, { path: 'reported.c' }],
      },
    );
    expect((await self.post(`${path}/state`, { reported: { a: 1 }, versions: { a: -1, b: 1 } })).body).toMatchObject({
      errors: [{ path: 'versions.a' }, { path: 'versions.b' }],
    });
    expect((await self.post(`${path}/state`, { reported: { a: 'nul \u0000' } })).status).toBe(422);
    // A number that no double holds must not take the value away.
    expect((await self.post(`${path}/state`, '{"reported":{"a":1e999}}')).status).toBe(422);
  });
});

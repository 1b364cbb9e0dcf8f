import { beforeAll, describe, expect, it } from '@jest/globals';
import { Actor } from '../support/actor.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

let owner: AccountActor;
let productId: string;
let count = 0;

const declared = `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) {
  putProductSettings(organizationId: $o, productId: $p, settings: $s) { settings { commands { name } } } }`;
const settings = {
  commands: [
    { name: 'blink', parameters: [{ name: 'times', type: 'UINT8' }] },
    { name: 'unlock', parameters: [{ name: 'pin', type: 'TXT' }], secret: true },
  ],
};

beforeAll(async () => {
  owner = await world.organization();
  productId = await owner.make(`/organizations/${owner.id}/products`, { name: 'Lock', version: '1', variables: [] });
  const { body } = await owner.graph(declared, { o: owner.id, p: productId, s: settings });
  expect(body.errors).toBeUndefined();
});

/** Creates an application with a hook for events, and a device that is linked to it. */
async function stage(events: string[], of?: string) {
  const applicationId = of ?? (await owner.make(`/organizations/${owner.id}/applications`, { name: 'Doors' }));
  const at = `/applications/${owner.id}/${applicationId}`;
  const hookId = await owner.make(`${at}/hooks`, { url: 'http://127.0.0.1:9/' });
  expect((await owner.put(`${at}/hooks/${hookId}/settings`, { events })).status).toBe(200);
  const serial = `c1-${String(++count).padStart(4, '0')}`;
  const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`, { product: { id: productId } });
  await owner.put(`${at}/devices/${id}`);
  const path = `/devices/${owner.id}/${id}`;
  const { body } = await owner.post<{ token: string }>(`${path}/tokens`);
  return { applicationId, hookId, id, serial, path, self: new Actor(world.url, body.token) };
}

interface Event {
  kind: string;
  deviceId: string;
  payload: { command?: Record<string, unknown>; state?: Record<string, unknown>; device: object; application: object };
}

const eventsOf = async (hookId: string): Promise<Event[]> =>
  (
    await world.pool.query<Event>(
      'select kind, device_id "deviceId", payload from delivery where hook_id = $1 order by id',
      [hookId],
    )
  ).rows;

/** Waits until the poll has made deliveries of all events that triggers noted. */
const settled = () => until(async () => (await world.pool.query('select from event_notice limit 1')).rows.length === 0);

const send = async (path: string, body: object) => (await owner.post<{ id: string }>(`${path}/commands`, body)).body.id;
const statesOf = (events: readonly Event[]) => events.map(({ payload }) => payload.command!['state']);

describe('command.updated', () => {
  it('calls the hooks of the applications of the device once for each change of state', async () => {
    const { applicationId, hookId, id, serial, path, self } = await stage(['command.updated']);
    const other = await stage(['command.updated']);
    const commandId = await send(path, { name: 'blink', parameters: { times: 3 }, key: 'k' });
    await self.get(`${path}/commands`);
    const answer = { result: { lit: null } };
    await self.post(`${path}/commands/${commandId}/result`, answer);
    await self.post(`${path}/commands/${commandId}/result`, answer);
    await settled();
    const events = await eventsOf(hookId);
    expect(statesOf(events)).toEqual(['handed', 'answered']);
    expect(events[1]).toEqual({
      kind: 'command.updated',
      deviceId: id,
      payload: {
        command: {
          id: commandId,
          name: 'blink',
          state: 'answered',
          previousState: 'handed',
          stateAt: expect.any(Number),
          detail: { result: { lit: null } },
          parameters: { times: 3 },
          key: 'k',
          createdAt: expect.any(Number),
          expiresAt: expect.any(Number),
        },
        device: { id, serial, organizationId: owner.id },
        application: { id: applicationId, organizationId: owner.id },
      },
    });
    expect(await eventsOf(other.hookId)).toEqual([]);
  });

  it('leaves out the parameters of a secret command', async () => {
    const { hookId, path } = await stage(['command.updated']);
    await send(path, { name: 'unlock', parameters: { pin: '4711' } });
    await owner.post(`${path}/commands/cancel`, {});
    await settled();
    const events = await eventsOf(hookId);
    expect(statesOf(events)).toEqual(['cancelled']);
    expect(JSON.stringify(events)).not.toContain('4711');
  });

  it('says the reason when a command fails', async () => {
    const { hookId, path } = await stage(['command.updated']);
    await send(path, { name: 'blink', parameters: { times: 1 } });
    await owner.put(path, { product: null });
    await settled();
    const [event] = await eventsOf(hookId);
    expect(event?.payload.command).toMatchObject({ state: 'failed', code: 'PRODUCT_CHANGED' });
  });

  it('calls no hook when the device is deleted, which takes that it is unlinked first', async () => {
    const { applicationId, hookId, id, path } = await stage(['command.updated']);
    const commandId = await send(path, { name: 'blink', parameters: { times: 1 } });
    expect((await owner.delete(path)).status).toBe(409);
    await owner.delete(`/applications/${owner.id}/${applicationId}/devices/${id}`);
    expect((await owner.delete(path)).status).toBe(204);
    const { body } = await owner.get(`/organizations/${owner.id}/commands/${commandId}`);
    expect(body).toMatchObject({ state: 'failed', code: 'DEVICE_DELETED' });
    await settled();
    expect(await eventsOf(hookId)).toEqual([]);
  });

  it('calls no hook that chose other events', async () => {
    const { hookId, path } = await stage(['record', 'state.diverged']);
    await send(path, { name: 'blink', parameters: { times: 1 } });
    await owner.post(`${path}/commands/cancel`, {});
    await settled();
    expect(await eventsOf(hookId)).toEqual([]);
  });
});

describe('state.diverged', () => {
  it('calls hooks once for each version of a desired value that the device has yet to reach', async () => {
    const { hookId, id, path, self } = await stage(['state.diverged']);
    await owner.put(`${path}/state`, { desired: { tone: 2 } });
    await owner.put(`${path}/state`, { desired: { tone: 2 } });
    await self.post(`${path}/state`, { reported: { tone: 1 } });
    await self.post(`${path}/state`, { reported: { tone: 2 } });
    // By hand at the device: reported, and no difference.
    await self.post(`${path}/state`, { reported: { tone: 5 } });
    // The device has reported this value before it is desired.
    await owner.put(`${path}/state`, { desired: { tone: 5 } });
    await owner.put(`${path}/state`, { desired: { tone: 7 } });
    await owner.put(`${path}/state`, { desired: { tone: null } });
    await settled();
    const events = await eventsOf(hookId);
    expect(events.map(({ deviceId }) => deviceId)).toEqual([id, id]);
    expect(events.map(({ payload }) => payload.state)).toEqual([
      { name: 'tone', desired: 2, version: 1, desiredAt: expect.any(Number) },
      {
        name: 'tone',
        desired: 7,
        version: 3,
        desiredAt: expect.any(Number),
        reported: 5,
        reportedAt: expect.any(Number),
      },
    ]);
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type QuotaValues, setQuota } from '#operator/quota.js';
import { purgeDevices } from '#records/postgres/upkeep/purge.js';
import { foldUsage } from '#usage/usage.js';
import { Actor } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

/**
 * A service alone on its database, one second before midnight. Claims of a process with a later date would count as
 * newer.
 */
let now = Date.UTC(2026, 10, 20, 23, 59, 59);
const evening = useWorld({ clock: () => now });

interface QuotaState {
  limit?: number;
  used?: number;
  until?: string;
}
type Quota = Record<keyof QuotaValues, QuotaState>;

let count = 0;
const newSerial = () => `b0-${String(++count).padStart(4, '0')}`;

/** Creates an organization with a device. */
async function furnished() {
  const owner = await world.organization();
  const serial = newSerial();
  const deviceId = await owner.make(`/organizations/${owner.id}/devices/${serial}`);
  return { owner, serial, deviceId };
}

const post = (actor: AccountActor, serial: string, records = 1) =>
  actor.post<{ accepted?: number; message?: string }>(
    `/organizations/${actor.id}/records`,
    Array.from({ length: records }, () => ({ serial, data: { a: 1 } })),
  );

const quotaOf = async (owner: AccountActor) => (await owner.get<Quota>(`/organizations/${owner.id}/quota`)).body;

/** Sets quotas as an operator does. Device quotas apply at once, the others at the service's next poll. */
const set = (owner: AccountActor, values: Partial<QuotaValues>) => setQuota(world.pool, owner.id, values);

/** Repeats a call until it returns this status. */
const until = async <Of extends { status: number }>(status: number, call: () => Promise<Of>): Promise<Of> => {
  for (;;) {
    const answer = await call();
    if (answer.status === status) return answer;
    await delay(50);
  }
};

describe('daily record quota', () => {
  it('refuses a call that would exceed it, with figure and time, and stores nothing of the call', async () => {
    const { owner, serial } = await furnished();
    await set(owner, { recordsPerDay: 5 });
    // A call above the quota is refused as soon as the service sees the quota, and is never stored in part.
    await until(429, () => post(owner, 'ff', 6));
    expect((await post(owner, serial, 3)).body).toMatchObject({ accepted: 3 });
    const { status, headers, body } = await post(owner, serial, 3);
    expect({ status, body }).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    const midnight = /until (\d{4}-\d\d-\d\dT00:00:00\.000Z)\.$/.exec(body.message!)![1]!;
    expect(body.message).toBe(`The quota of 5 records a day leaves 2, and this call has 3, until ${midnight}.`);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
    expect((await post(owner, serial, 2)).body).toMatchObject({ accepted: 2 });
    expect((await post(owner, serial)).body).toMatchObject({
      message: `The quota of 5 records a day is reached, until ${midnight}.`,
    });
    expect(await quotaOf(owner)).toMatchObject({ recordsPerDay: { limit: 5, used: 5, until: midnight } });
  });

  it('counts stored records only, not rejected or repeated ones', async () => {
    const { owner, serial } = await furnished();
    await set(owner, { recordsPerDay: 3 });
    await until(429, () => post(owner, 'ff', 4));
    const keyed = { serial, data: { a: 1 }, key: 'once' };
    const path = `/organizations/${owner.id}/records`;
    for (const records of [[keyed], [keyed], [{ serial: 'ff', data: {} }], [{ bad: true }, {}, {}, {}, keyed]])
      expect((await owner.post(path, records)).status).toBe(200);
    expect((await post(owner, serial, 2)).body).toMatchObject({ accepted: 2 });
    expect((await post(owner, serial)).status).toBe(429);
  });

  it('holds against 30 concurrent calls', async () => {
    const { owner, serial } = await furnished();
    await set(owner, { recordsPerDay: 10 });
    await until(429, () => post(owner, 'ff', 11));
    const answers = await Promise.all(Array.from({ length: 30 }, () => post(owner, serial)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    expect(await quotaOf(owner)).toMatchObject({ recordsPerDay: { used: 10 } });
  });

  it('applies to every ingestion path', async () => {
    const { owner, serial, deviceId } = await furnished();
    const { body } = await owner.post<{ token: string }>(`/devices/${owner.id}/${deviceId}/tokens`);
    const device = new Actor(world.url, body.token);
    await set(owner, { recordsPerDay: 0 });
    await until(429, () => post(owner, 'ff'));
    const ingest = `/organizations/${owner.id}/ingest`;
    const ways = [
      await device.post(`/devices/${owner.id}/${deviceId}/records`, { data: { a: 1 } }),
      await owner.post(`${ingest}/thingsboard/${serial}`, { a: 1 }),
      await owner.post(`${ingest}/chirpstack?event=up`, { deviceInfo: { devEui: serial }, object: { a: 1 } }),
      await owner.post(`${ingest}/sigfox`, { device: serial, data: '00' }),
      await owner.post(`${ingest}/the-things-stack`, {
        end_device_ids: { dev_eui: serial },
        uplink_message: { decoded_payload: { a: 1 } },
      }),
    ];
    expect(ways.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429]);
    const inGraph = await owner.graph(
      'mutation ($o: ID!, $r: ExactJSON!) { ingestRecords(organizationId: $o, records: $r) { accepted } }',
      { o: owner.id, r: [{ serial, data: { a: 1 } }] },
    );
    expect(inGraph.body.errors![0]!.extensions.code).toBe('RATE_LIMITED');
    expect(await quotaOf(owner)).toMatchObject({ recordsPerDay: { used: 0 } });
    await set(owner, { recordsPerDay: null });
    expect((await until(200, () => post(owner, serial))).body).toMatchObject({ accepted: 1 });
  });

  it('starts again at midnight', async () => {
    const owner = await evening.organization();
    const serial = newSerial();
    await owner.make(`/organizations/${owner.id}/devices/${serial}`);
    await setQuota(evening.pool, owner.id, { recordsPerDay: 1 });
    await until(429, () => post(owner, 'ff', 2));
    expect((await post(owner, serial)).status).toBe(200);
    const refused = await post(owner, serial);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    now += 1000;
    expect((await post(owner, serial)).status).toBe(200);
    expect((await post(owner, serial)).status).toBe(429);
  });
});

describe('device quota', () => {
  it('holds against concurrent registrations by owners and by devices themselves', async () => {
    const { owner } = await furnished();
    const at = `/organizations/${owner.id}`;
    const product = await owner.make(`${at}/products`, { name: 'Meter', version: '1', variables: [] });
    const { body: made } = await owner.post<{ token: string }>(`/products/${owner.id}/${product}/provisioning-tokens`, {
      deviceLimit: 100,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const fleet = new Actor(world.url, made.token);
    await set(owner, { devices: 4 });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0 ? owner.post(`${at}/devices/${newSerial()}`) : fleet.post(`/provision/${newSerial()}`),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect({ status, body }).toMatchObject({
        status: 403,
        body: {
          code: 'FORBIDDEN',
          message:
            'The organization has as many devices as its quota allows. Delete devices, or ask the operator for a larger quota.',
        },
      });
    }
    expect(await quotaOf(owner)).toMatchObject({ devices: { limit: 4, used: 4 } });
    const [device] = (await owner.get<{ id: string }[]>(`${at}/devices`)).body;
    await owner.delete(`/devices/${owner.id}/${device!.id}`);
    expect((await owner.post(`${at}/devices/${newSerial()}`)).status).toBe(200);
    // A quota below the current number deletes nothing.
    await set(owner, { devices: 1 });
    expect((await owner.post(`${at}/devices/${newSerial()}`)).status).toBe(403);
    expect(await quotaOf(owner)).toMatchObject({ devices: { limit: 1, used: 4 } });
  });
});

describe('storage quota', () => {
  it('refuses records until some are deleted', async () => {
    const { owner, serial, deviceId } = await furnished();
    const other = newSerial();
    await owner.make(`/organizations/${owner.id}/devices/${other}`);
    await post(owner, serial, 50);
    await set(owner, { storedBytes: 1000 });
    // Uses an unknown serial, since records stored before the quota applies would remain.
    const refused = await until(403, () => post(owner, 'ff'));
    expect(refused.body.message).toMatch(/^The quota of 1000 stored bytes is reached, until records are deleted/);
    const { storedBytes } = await quotaOf(owner);
    expect(storedBytes).toMatchObject({ limit: 1000, used: expect.any(Number) });
    expect(storedBytes.used).toBeGreaterThan(1000);
    await owner.delete(`/devices/${owner.id}/${deviceId}`);
    // Brings forward the purge of deleted devices, which runs a minute later, and the new count of bytes.
    while (await purgeDevices(world.pool, new Date(Date.now() + 120_000)));
    await until(200, async () => {
      await world.pool.query("update storage set measured_at = '-infinity' where organization_id = $1", [owner.id]);
      return post(owner, other);
    });
  });
});

it('returns usage without limits for an organization that has no quotas', async () => {
  const { owner } = await furnished();
  const { recordsPerDay, devices, storedBytes } = await quotaOf(owner);
  expect(recordsPerDay).toEqual({ used: 0, until: expect.any(String) });
  expect(devices).toEqual({ used: 1 });
  expect(storedBytes).toEqual({});
});

describe('daily command quota', () => {
  const sendTo = (owner: AccountActor, deviceId: string, key?: string) =>
    owner.post<{ message?: string; code?: string }>(`/devices/${owner.id}/${deviceId}/commands`, {
      name: 'raw',
      payload: '01',
      ...(key && { key }),
    });

  it('refuses a call that would exceed it, and counts repeated commands once', async () => {
    const { owner, deviceId } = await furnished();
    const others = [await furnishDevice(owner), await furnishDevice(owner)];
    expect((await sendTo(owner, deviceId)).status).toBe(200);
    await set(owner, { commandsPerDay: 3 });
    for (const status of [200, 200]) expect((await sendTo(owner, deviceId, 'once')).status).toBe(status);
    const fleet = await owner.post<{ message: string }>(`/organizations/${owner.id}/commands`, {
      name: 'raw',
      payload: '01',
      deviceIds: others,
    });
    expect(fleet).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    const midnight = /until (\d{4}-\d\d-\d\dT00:00:00\.000Z)\.$/.exec(fleet.body.message)![1]!;
    expect(fleet.body.message).toBe(`The quota of 3 commands a day leaves 1, and this call has 2, until ${midnight}.`);
    expect(Number(fleet.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await sendTo(owner, deviceId)).status).toBe(200);
    expect((await sendTo(owner, deviceId)).body.message).toBe(
      `The quota of 3 commands a day is reached, until ${midnight}.`,
    );
    expect(await quotaOf(owner)).toMatchObject({ commandsPerDay: { limit: 3, used: 3, until: midnight } });
    const usage = await owner.get(`/organizations/${owner.id}/usage`);
    expect(usage.body).toMatchObject([{ commands: 3 }]);
    await set(owner, { commandsPerDay: null });
    expect((await sendTo(owner, deviceId)).status).toBe(200);
  });

  it('holds for calls at the same time, before and after the counts are added up', async () => {
    const { owner, deviceId } = await furnished();
    await set(owner, { commandsPerDay: 10 });
    const statuses = async () =>
      (await Promise.all(Array.from({ length: 16 }, () => sendTo(owner, deviceId)))).map(({ status }) => status);
    expect((await statuses()).filter((status) => status === 200)).toHaveLength(10);
    while (await foldUsage(world.pool));
    expect(new Set(await statuses())).toEqual(new Set([429]));
  });

  it('ends a job that exceeds it with its message', async () => {
    const { owner } = await furnished();
    await world.pool.query(
      `insert into device (id, organization_id, serial, serial_key, slug, tags, created_at, updated_at)
       select gen_random_uuid(), $1, 'ac' || lpad(n::text, 6, '0'), 'ac' || lpad(n::text, 6, '0'), 's', '{}', now(), now()
         from generate_series(1, 1100) n`,
      [owner.id],
    );
    await set(owner, { commandsPerDay: 20 });
    const path = `/organizations/${owner.id}`;
    const sent = await owner.post<{ job: { id: string } }>(`${path}/commands`, {
      name: 'raw',
      payload: '01',
      filter: {},
    });
    for (;;) {
      const { body } = await owner.get<{ state: string; error?: string }>(`${path}/jobs/${sent.body.job.id}`);
      if (body.state === 'failed') {
        expect(body.error).toContain('The quota of 20 commands a day leaves 20');
        break;
      }
      expect(['pending', 'running']).toContain(body.state);
      await delay(50);
    }
  });
});

const furnishDevice = (owner: AccountActor) => owner.make(`/organizations/${owner.id}/devices/${newSerial()}`);

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type QuotaValues, setQuota } from '#operator/quota.js';
import { Actor } from '../../support/actor.js';
import { startTestService } from '../../support/start-service.js';
import { type AccountActor, useWorld } from '../../support/world.js';

const world = useWorld();

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

/** Posts records to another process. */
const postTo = (url: string, { id, token }: AccountActor, serial: string, records = 1) =>
  new Actor(url, token).post(
    `/organizations/${id}/records`,
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

describe('daily record quota over several processes', () => {
  it('counts records of other processes at its next poll', async () => {
    const { owner, serial } = await furnished();
    await set(owner, { recordsPerDay: 4 });
    await until(429, () => post(owner, 'ff', 5));
    const other = await startTestService(world.databaseUrl);
    try {
      const there = new Actor(other.url, owner.token);
      const path = `/organizations/${owner.id}/records`;
      const records = Array.from({ length: 4 }, () => ({ serial, data: { a: 1 } }));
      expect((await there.post(path, records)).body).toMatchObject({ accepted: 4 });
      // A new process knows earlier records from its first call.
      const third = await startTestService(world.databaseUrl);
      try {
        expect((await new Actor(third.url, owner.token).post(path, records.slice(1))).status).toBe(429);
      } finally {
        await third.close();
      }
      // Uses an unknown serial, which stores nothing.
      await until(429, () => post(owner, 'ff'));
      expect(await quotaOf(owner)).toMatchObject({ recordsPerDay: { used: 4 } });
    } finally {
      await other.close();
    }
  });

  it('holds against two concurrent processes, and allows records up to the limit', async () => {
    const { owner, serial } = await furnished();
    await set(owner, { recordsPerDay: 1000 });
    await until(429, () => post(owner, 'ff', 1001));
    const other = await startTestService(world.databaseUrl);
    try {
      await until(429, () => postTo(other.url, owner, 'ff', 1001));
      const size = (index: number) => 1 + (index % 7);
      const send = async (from: number) => {
        for (let index = from; index < 600; index += 24)
          await postTo(index % 2 === 0 ? world.url : other.url, owner, serial, size(index));
      };
      await Promise.all(Array.from({ length: 24 }, (_, from) => send(from)));
      const used = async () => (await quotaOf(owner)).recordsPerDay.used!;
      expect(await used()).toBeGreaterThan(900);
      // The other process returns the claimed records that it does not need.
      while ((await used()) < 1000) if ((await post(owner, serial)).status === 429) await delay(100);
      expect((await post(owner, serial)).status).toBe(429);
      expect((await postTo(other.url, owner, serial)).status).toBe(429);
      const { rows } = await world.pool.query(
        'select count(*)::int as n from record where device_id in (select id from device where organization_id = $1)',
        [owner.id],
      );
      expect([await used(), rows[0].n]).toEqual([1000, 1000]);
    } finally {
      await other.close();
    }
  });

  it('regains the claim of a process that was killed', async () => {
    const { owner, serial } = await furnished();
    await set(owner, { recordsPerDay: 4 });
    await until(429, () => post(owner, 'ff', 5));
    await world.pool.query(
      `update quota_claim set claimed = 4, touched_at = now() - interval '2 minutes' where organization_id = $1`,
      [owner.id],
    );
    expect((await until(200, () => post(owner, serial, 4))).body).toMatchObject({ accepted: 4 });
    expect((await post(owner, serial)).status).toBe(429);
  });
});

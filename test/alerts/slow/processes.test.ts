import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { newId } from '#entities/id.js';
import { ended, startCommand } from '../../support/command.js';
import { type AccountActor, useWorld } from '../../support/world.js';
import { decision, expectedOf, histories, insist, type Point, spansOf } from '../history.js';

const world = useWorld({});

/** Number of kills; FAULT_ROUNDS sets another one. */
const kills = Number(process.env['FAULT_ROUNDS'] ?? 3);

interface Served {
  child: ChildProcess;
  url: string;
}

const serve = async (): Promise<Served> => {
  const settings = {
    DATABASE_URL: world.databaseUrl,
    SECRET_KEY: 'a key for tests',
    PORT: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT: '0',
  };
  const child = startCommand(['serve', '--json'], settings);
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, url: (JSON.parse(line.toString()) as { url: string }).url };
};

interface Device {
  id: string;
  serial: string;
  batches: Point[][];
}

let owner: AccountActor;
let applicationPath: string;
let hookId: string;
const processes: Served[] = [];

beforeAll(async () => {
  owner = await world.organization();
  const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
  applicationPath = `/applications/${owner.id}/${applicationId}`;
  await owner.make(`${applicationPath}/alert-rules`, { name: 'Too warm', ...decision });
  hookId = await owner.make(`${applicationPath}/hooks`, { url: 'http://127.0.0.1:9/' });
  await owner.put(`${applicationPath}/hooks/${hookId}/settings`, { events: ['alert.opened', 'alert.closed'] });
  processes.push(...(await Promise.all([serve(), serve()])));
});

afterAll(async () => {
  for (const { child } of processes) child.kill('SIGTERM');
  await Promise.all(processes.map(({ child }) => ended(child)));
});

const devicesOf = async (count: number, seed: number): Promise<Device[]> => {
  const sampled = fc.sample(histories, { seed, numRuns: count });
  return Promise.all(
    sampled.map(async (batches) => {
      const serial = newId().slice(-12);
      const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`);
      await owner.put(`${applicationPath}/devices/${id}`);
      return { id, serial, batches };
    }),
  );
};

const post = (url: string, records: readonly object[]) =>
  fetch(`${url}/ddp/v1/organizations/${owner.id}/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(records),
  }).then(async (answer) => {
    await answer.arrayBuffer();
    return answer.status;
  });

/** Sends a device's batches in turn, each to a random process, and some to both at once. */
async function play({ serial, batches }: Device): Promise<void> {
  for (const [index, batch] of batches.entries()) {
    const records = batch.map(({ ts, t }) => ({ serial, ts, data: { t } })).toReversed();
    const both = index % 3 === 0 ? processes : [processes[index % processes.length]!];
    await Promise.all(both.map((_, offset) => insist(() => post(processes[(index + offset) % 2]!.url, records))));
  }
}

const eventsTold = async () =>
  (
    await world.pool.query<{ episode: string; kind: string; times: number }>(sql`
      select payload -> 'episode' ->> 'id' episode, kind, count(*)::int times
        from delivery where hook_id = ${hookId} group by 1, 2`)
  ).rows;

describe('alert rules over two processes that are killed', () => {
  it('opens every episode once, and sends each event once', async () => {
    const seed = Number(process.env['FUZZ_SEED'] ?? 38);
    const devices = await devicesOf(40, seed);
    let over = false;
    const playing = Promise.all(devices.map(play)).finally(() => {
      over = true;
    });
    for (let round = 0; round < kills && !over; round++) {
      const place = round % 2;
      const victim = processes[place]!;
      // The process stores records: it has answered since the last kill.
      await insist(() => post(victim.url, []).then((status) => (status === 0 ? 0 : 200)));
      victim.child.kill('SIGKILL');
      await ended(victim.child);
      processes[place] = await serve();
    }
    await playing;
    for (const { id, batches } of devices) {
      expect({ seed, spans: await spansOf(world.pool, id) }).toEqual({ seed, spans: expectedOf(batches) });
    }
    const told = await eventsTold();
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter(({ times }) => times !== 1)).toEqual([]);
  });

  it('finds a silence once, whichever process polls', async () => {
    const [device] = await devicesOf(1, 1);
    const rule = { name: 'Silent', kind: 'silence', silentFor: 60 };
    const ruleId = await owner.make(`${applicationPath}/alert-rules`, rule);
    const others = await devicesOf(200, 2);
    const ids = [device!, ...others].map(({ id }) => id);
    await world.pool.query(sql`
      update alert_state set started_at = now() - interval '61 s', due_at = now() where rule_id = ${ruleId}
         and device_id = any(${ids}::uuid[])`);
    const count = async () =>
      (
        await world.pool.query<{ count: number; devices: number }>(sql`
          select count(*)::int count, count(distinct device_id)::int devices from episode
           where rule_id = ${ruleId} and device_id = any(${ids}::uuid[])`)
      ).rows[0]!;
    while ((await count()).devices < ids.length) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await count()).toEqual({ count: ids.length, devices: ids.length });
  });

  it('opens nothing for an hour without any process, and counts from its end', async () => {
    const devices = await devicesOf(2, 3);
    const ids = devices.map(({ id }) => id);
    const ruleId = await owner.make(`${applicationPath}/alert-rules`, { name: 'Out', kind: 'silence', silentFor: 600 });
    // Moves all stored times back by an hour, as if every process had been down for that time.
    await world.pool.query(`
      begin;
      update alert_heartbeat set at = at - interval '1 h';
      update alert_device set arrived_at = arrived_at - interval '1 h' where arrived_at > '-infinity';
      update alert_state set started_at = started_at - interval '1 h', arrived_at = arrived_at - interval '1 h',
             due_at = due_at - interval '1 h';
      commit`);
    const state = sql`
      select bool_and(due_at > now() + interval '5 min') later from alert_state
       where rule_id = ${ruleId} and device_id = any(${ids}::uuid[])`;
    const isLater = async () => (await world.pool.query<{ later: boolean }>(state)).rows[0]!.later;
    while (!(await isLater())) await new Promise((resolve) => setTimeout(resolve, 50));
    const { rows } = await world.pool.query(sql`select from episode where rule_id = ${ruleId}`);
    expect(rows).toEqual([]);
  });
});

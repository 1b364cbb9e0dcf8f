import { beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { newId } from '../../src/entities/id.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

interface Stage {
  applicationId: string;
  deviceId: string;
  serial: string;
}

interface Episode {
  id: string;
  opened: number;
  closed: number | null;
  reason: string | null;
}

let owner: AccountActor;
beforeAll(async () => {
  owner = await world.organization();
});

const stage = async (): Promise<Stage> => {
  const serial = newId().slice(-12);
  const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
  const deviceId = await owner.make(`/organizations/${owner.id}/devices/${serial}`);
  return { applicationId, deviceId, serial };
};
const link = (at: Stage) => owner.put(`/applications/${owner.id}/${at.applicationId}/devices/${at.deviceId}`, {});

/** A rule that opens above 8 degrees and closes below 6. */
const addThreshold = async ({ applicationId }: Stage): Promise<string> => {
  const id = newId();
  const when = { all: [{ variable: 't', operator: 'gt', value: 8 }] };
  const until = { all: [{ variable: 't', operator: 'lt', value: 6 }] };
  await world.pool.query(sql`
    insert into alert_rule (id, organization_id, application_id, name, severity, kind, when_condition, until_condition, created_at, updated_at)
    values (${id}, ${owner.id}, ${applicationId}, 'Too warm', 'warning', 'threshold', ${when}, ${until}, now(), now())`);
  return id;
};
const addSilence = async ({ applicationId }: Stage): Promise<string> => {
  const id = newId();
  await world.pool.query(sql`
    insert into alert_rule (id, organization_id, application_id, name, severity, kind, silent_for_seconds, created_at, updated_at)
    values (${id}, ${owner.id}, ${applicationId}, 'Silent', 'critical', 'silence', 60, now(), now())`);
  return id;
};
const send = async ({ serial }: Stage, ...points: [ts: number, t: number][]) => {
  const records = points.map(([ts, t]) => ({ serial, ts, data: { t } }));
  const answer = await owner.post(`/organizations/${owner.id}/records`, records);
  expect(answer.status).toBe(200);
};
const episodes = async ({ deviceId }: Stage): Promise<Episode[]> =>
  (
    await world.pool.query<Episode>(sql`
      select id, extract(epoch from opened_at)::float8 opened, extract(epoch from closed_at)::float8 closed, closed_reason reason
        from episode where device_id = ${deviceId} order by opened_at`)
  ).rows;
const until = async (at: Stage, reached: (all: Episode[]) => boolean): Promise<Episode[]> => {
  for (;;) {
    const all = await episodes(at);
    if (reached(all)) return all;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
const base = 1_700_000_000;

describe('a threshold rule', () => {
  it('opens and closes an episode with the records that it judges, in the order of their time', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at);
    await send(at, [base + 3, 5], [base + 1, 9], [base + 2, 7]);
    expect(await episodes(at)).toMatchObject([{ opened: base + 1, closed: base + 3, reason: 'cleared' }]);
    await send(at, [base + 2, 20]);
    await send(at, [base + 4, 20]);
    expect(await episodes(at)).toMatchObject([{}, { opened: base + 4, closed: null }]);
  });

  it('opens one episode where batches of a device come at once', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at);
    await Promise.all(Array.from({ length: 20 }, () => send(at, [base + 1, 9])));
    expect(await episodes(at)).toMatchObject([{ opened: base + 1, closed: null }]);
  });

  it('closes the episode of a device that is unlinked', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at);
    await send(at, [base + 1, 9]);
    await owner.delete(`/applications/${owner.id}/${at.applicationId}/devices/${at.deviceId}`);
    expect(await episodes(at)).toMatchObject([{ opened: base + 1, reason: 'unlinked' }]);
  });

  it('calls a hook that chose openings, and not for records', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at);
    const hookId = await owner.make(`/applications/${owner.id}/${at.applicationId}/hooks`, {
      url: 'http://127.0.0.1:9/',
    });
    await world.pool.query(sql`update hook set events = '{alert.opened}' where id = ${hookId}`);
    await send(at, [base + 1, 9]);
    const { rows } = await world.pool.query(sql`select kind, payload from delivery where hook_id = ${hookId}`);
    const [episode] = await episodes(at);
    expect(rows).toMatchObject([
      {
        kind: 'alert.opened',
        payload: { episode: { id: episode!.id, openedAt: base + 1 }, device: { id: at.deviceId, serial: at.serial } },
      },
    ]);
  });
});

describe('a silence rule', () => {
  const makeDue = (at: Stage) =>
    world.pool.query(sql`
      update alert_state set started_at = now() - interval '61 s', due_at = now() - interval '1 s' where device_id = ${at.deviceId}`);

  it('opens for a linked device never heard, and closes with the first record', async () => {
    const at = await stage();
    await addSilence(at);
    await link(at);
    await makeDue(at);
    await until(at, (all) => all.length === 1);
    await send(at, [base, 1]);
    expect(await episodes(at)).toMatchObject([{ reason: 'arrived' }]);
  });

  it('waits on where a record has arrived meanwhile', async () => {
    const at = await stage();
    await addSilence(at);
    await link(at);
    await send(at, [base, 1]);
    await makeDue(at);
    const isLater = sql`select from alert_state where device_id = ${at.deviceId} and due_at > now() + interval '30 s'`;
    while ((await world.pool.query(isLater)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await episodes(at)).toEqual([]);
  });
});

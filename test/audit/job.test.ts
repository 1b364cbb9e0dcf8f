import { beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
/** More devices than one step of a batch takes. */
const fleet = 1100;

interface Event {
  action: string;
  actorKind: string;
  actorId: string;
  changed: number | null;
}

const eventsOf = async (action: string, organizationId = owner.id): Promise<Event[]> => {
  const { rows } = await world.pool.query<Event>(
    `select action, actor_kind as "actorKind", actor_id as "actorId", (changes -> 'changed' ->> 1)::int as changed
       from audit_event where organization_id = $1 and action = $2 order by id`,
    [organizationId, action],
  );
  return rows;
};

const jobState = async (jobId: string) =>
  (await owner.get<{ state: string }>(`/organizations/${owner.id}/jobs/${jobId}`)).body.state;

beforeAll(async () => {
  owner = await world.organization();
  await world.pool.query(
    `insert into device (id, organization_id, serial, slug, tags, created_at, updated_at)
     select gen_random_uuid(), $1, lpad(to_hex(n), 8, '0'), n::text, '{}', now(), now() from generate_series(1, $2::int) n`,
    [owner.id, fleet],
  );
});

describe('a job', () => {
  it('leaves an event of each step that changed something, beside that of who asked for it', async () => {
    const { body } = await owner.graph(
      'mutation ($o: ID!) { tagDevices(organizationId: $o, filter: {}, tags: ["all"]) { job { id } } }',
      { o: owner.id },
    );
    const jobId = body.data!['tagDevices'].job.id as string;
    await until(async () => (await jobState(jobId)) === 'done');
    const [asked, ...steps] = await eventsOf('tagDevices');
    expect(asked).toMatchObject({ actorKind: 'token', changed: null });
    expect(steps.map(({ actorKind, actorId }) => [actorKind, actorId])).toEqual(steps.map(() => ['job', jobId]));
    expect(steps.map(({ changed }) => changed)).toEqual([1000, 100]);
  });

  it('leaves the counts of an import of devices, and none of its dry run', async () => {
    const at = `/organizations/${owner.id}/imports`;
    const { body } = await owner.request<{ id: string; job: { id: string } }>('POST', `${at}/devices`, {
      headers: { 'content-type': 'text/csv' },
      body: 'serial\ncafe-01\ncafe-02',
    });
    const state = async () => (await owner.get<{ state: string }>(`${at}/${body.id}`)).body.state;
    await until(async () => (await state()) === 'checked');
    await owner.call('POST', `${at}/${body.id}/apply`);
    await until(async () => (await state()) === 'done');
    expect(await eventsOf('checkDevices')).toEqual([]);
    expect(await eventsOf('applyFileImport')).toHaveLength(1);
    expect((await eventsOf('importDevices')).map(({ actorKind, changed }) => [actorKind, changed])).toEqual([
      ['token', null],
      ['job', 2],
    ]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { useWorld } from '../support/world.js';
import { addDevice, begun, buildLiveWorld, codeOf } from './live-world.js';
import { type Heard, overEvents, overSocket } from './subscriber.js';

const world = useWorld();

const jobsQuery = `subscription ($organizationId: ID!, $jobId: ID, $after: String) {
  jobUpdated(organizationId: $organizationId, jobId: $jobId, after: $after) { cursor missed jobs { id kind state done } } }`;
const devicesQuery = `subscription ($organizationId: ID!, $deviceId: ID, $after: String) {
  deviceChanged(organizationId: $organizationId, deviceId: $deviceId, after: $after) { cursor missed devices { id name serial } } }`;

const jobs = ({ results }: Heard): any[] => results.flatMap(({ data }) => data?.['jobUpdated']?.jobs ?? []);
const devices = ({ results }: Heard): any[] => results.flatMap(({ data }) => data?.['deviceChanged']?.devices ?? []);

/** Requests a redecode, which runs as a job. */
async function askForJob({ owner }: Awaited<ReturnType<typeof buildLiveWorld>>): Promise<string> {
  const variables = [{ name: 't', type: 'FLOAT32' }];
  const product = await owner.make(`/organizations/${owner.id}/products`, { name: 'P', version: '1', variables });
  const { body } = await owner.graph(
    'mutation ($o: ID!, $p: ID!) { redecodeProduct(organizationId: $o, productId: $p) { id } }',
    { o: owner.id, p: product },
  );
  return body.data!['redecodeProduct'].id;
}

describe.each([
  ['a WebSocket', overSocket],
  ['server-sent events', overEvents],
])('jobUpdated and deviceChanged over %s', (_way, subscribe) => {
  it('sends jobs as they are created and progress, to members of their organization only', async () => {
    const place = await buildLiveWorld(world);
    const stranger = await buildLiveWorld(world);
    const member = await world.member(place.owner, Role.member);
    const listen = (token: string | undefined, organizationId: string) =>
      subscribe(world.url, token, { query: jobsQuery, variables: { organizationId } });
    const subscriber = listen(member.token, place.owner.id);
    const silent = listen(stranger.owner.token, stranger.owner.id);
    for (const one of [subscriber, silent]) await one.until(begun);
    const id = await askForJob(place);
    await subscriber.until((heard) => jobs(heard).at(-1)?.state === 'done');
    expect(new Set(jobs(subscriber).map((job) => job.id))).toEqual(new Set([id]));
    const theirs = await askForJob(stranger);
    await silent.until((heard) => jobs(heard).at(-1)?.state === 'done');
    expect(new Set(jobs(silent).map((job) => job.id))).toEqual(new Set([theirs]));
    const refused = listen(stranger.owner.token, place.owner.id);
    await refused.until(({ over }) => over);
    expect(codeOf(refused)).toBe('NOT_FOUND');
    for (const one of [subscriber, silent]) one.leave();
  });

  it('sends devices as they are registered and changed', async () => {
    const place = await buildLiveWorld(world);
    const variables = { organizationId: place.owner.id };
    const subscriber = subscribe(world.url, place.owner.token, { query: devicesQuery, variables });
    const ofOne = subscribe(world.url, place.owner.token, {
      query: devicesQuery,
      variables: { ...variables, deviceId: place.deviceId },
    });
    for (const one of [subscriber, ofOne]) await one.until(begun);
    const added = await addDevice(place);
    await subscriber.until((heard) => devices(heard).length === 1);
    await place.owner.put(`/devices/${place.owner.id}/${place.deviceId}`, { name: 'Boiler' });
    for (const one of [subscriber, ofOne]) await one.until((heard) => devices(heard).at(-1)?.name === 'Boiler');
    expect(devices(subscriber).map(({ id }) => id)).toEqual([added.id, place.deviceId]);
    expect(devices(ofOne)).toEqual([{ id: place.deviceId, name: 'Boiler', serial: place.serial }]);
    for (const one of [subscriber, ofOne]) one.leave();
  });
});

it("sends a member deviceChanged only for devices that the member's teams may read", async () => {
  const place = await buildLiveWorld(world);
  const { owner, applicationId } = place;
  const member = await world.member(owner, Role.member);
  const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Field' });
  await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
  await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'read' });
  const hidden = await owner.make(`/organizations/${owner.id}/devices/0c0001`);
  const wanted = { query: devicesQuery, variables: { organizationId: owner.id } };
  const subscriber = overSocket(world.url, member.token, wanted);
  await subscriber.until(begun);
  await owner.put(`/devices/${owner.id}/${hidden}`, { name: 'Hidden' });
  await owner.put(`/devices/${owner.id}/${place.deviceId}`, { name: 'Seen' });
  await subscriber.until((heard) => devices(heard).length > 0);
  await owner.put(`/devices/${owner.id}/${place.deviceId}`, { name: 'Seen again' });
  await subscriber.until((heard) => devices(heard).at(-1)?.name === 'Seen again');
  expect(new Set(devices(subscriber).map(({ id }) => id))).toEqual(new Set([place.deviceId]));
  const refused = overSocket(world.url, member.token, {
    ...wanted,
    variables: { ...wanted.variables, deviceId: hidden },
  });
  await refused.until(({ over }) => over);
  expect(codeOf(refused)).toBe('NOT_FOUND');
  await owner.delete(`/organizations/${owner.id}/members/${member.id}`);
  await subscriber.until(({ over }) => over);
  expect(codeOf(subscriber)).toBe('UNAUTHENTICATED');
});

it.each([
  ['jobs', jobsQuery],
  ['devices', devicesQuery],
])('returns VALIDATION_FAILED for a subscription to %s whose cursor has an impossible time', async (_name, query) => {
  const { owner } = await buildLiveWorld(world);
  const after = Buffer.from(JSON.stringify(['1:1:', 1e300, ''])).toString('base64url');
  const refused = overSocket(world.url, owner.token, { query, variables: { organizationId: owner.id, after } });
  await refused.until(({ over }) => over);
  expect(codeOf(refused)).toBe('VALIDATION_FAILED');
});

it('resumes jobUpdated and deviceChanged from a cursor', async () => {
  const place = await buildLiveWorld(world);
  const variables = { organizationId: place.owner.id };
  const cursors: string[] = [];
  for (const [query, field] of [
    [jobsQuery, 'jobUpdated'],
    [devicesQuery, 'deviceChanged'],
  ] as const) {
    const first = overSocket(world.url, place.owner.token, { query, variables });
    await first.until(begun);
    cursors.push(first.results[0]!.data![field].cursor);
    first.leave();
  }
  const id = await askForJob(place);
  const added = await addDevice(place);
  const [ofJobs, ofDevices] = [jobsQuery, devicesQuery].map((query, index) =>
    overSocket(world.url, place.owner.token, { query, variables: { ...variables, after: cursors[index] } }),
  );
  // A job step that commits while the cursor is read arrives with the next poll, not in the first batch.
  await ofJobs!.until((heard) => jobs(heard).length > 0);
  await ofDevices!.until((heard) => devices(heard).length > 0);
  expect(jobs(ofJobs!)[0]).toMatchObject({ id });
  expect(devices(ofDevices!)).toEqual([expect.objectContaining({ id: added.id })]);
  for (const one of [ofJobs!, ofDevices!]) one.leave();
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { hourSeconds } from '#common/time.js';
import { Role } from '#entities/enums.js';
import { foldActivity } from '#records/postgres/upkeep/activity.js';
import type { GraphAnswer } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

let owner: AccountActor;
let member: AccountActor;
let at: string;
let applicationId: string;
let emptyId: string;

interface Bucket {
  ts: number;
  stored: number;
  duplicates: number;
  rejected: number;
  rejections: { code: string; count: number }[];
  decodePartial: number;
  decodeFailed: number;
}

const fields = 'ts stored duplicates rejected rejections { code count } decodePartial decodeFailed';
const ofOrganization = `query ($from: UnixTime, $to: UnixTime, $interval: Int) {
  account { activity(from: $from, to: $to, interval: $interval) { ${fields} } } }`;
const ofApplications = `query ($from: UnixTime, $to: UnixTime, $interval: Int) {
  account { applications(sort: "createdAt") { items { activity(from: $from, to: $to, interval: $interval) { ${fields} } } } } }`;

/** Adds up all buckets and leaves out their times. */
const sum = (activity: readonly Bucket[]): Omit<Bucket, 'ts'> => {
  const codes = new Map<string, number>();
  const all = { stored: 0, duplicates: 0, rejected: 0, decodePartial: 0, decodeFailed: 0 };
  for (const { rejections, ts: _ts, ...counts } of activity) {
    for (const [key, count] of Object.entries(counts)) all[key as keyof typeof all] += count;
    for (const { code, count } of rejections) codes.set(code, (codes.get(code) ?? 0) + count);
  }
  return { ...all, rejections: [...codes].sort().map(([code, count]) => ({ code, count })) };
};

const read = async (query: string, variables: object = {}, caller = owner): Promise<GraphAnswer> =>
  (await caller.graph(query, variables)).body;

/**
 * Polls the activity until it counts at least `seen` records and rejected items. Processes write their counts every
 * five seconds.
 */
async function counted(caller: AccountActor, seen: number): Promise<ReturnType<typeof sum>> {
  for (;;) {
    const { data } = await read(ofOrganization, {}, caller);
    const total = sum(data!['account'].activity as Bucket[]);
    if (total.stored + total.duplicates + total.rejected >= seen) return total;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

beforeAll(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
  const variables = [
    { name: 't', type: 'UINT8', mappings: [{ streamId: 1, streamType: 'RAW', varNumber: 1 }] },
    { name: 'u', type: 'UINT16', mappings: [{ streamId: 1, streamType: 'RAW', varNumber: 2 }] },
  ];
  const product = { id: await owner.make(`${at}/products`, { name: 'Pair', version: '1', variables }) };
  const linked = await owner.make(`${at}/devices/ac-01`, { product });
  await owner.make(`${at}/devices/ac-02`, { product });
  applicationId = await owner.make(`${at}/applications`, { name: 'Linked' });
  emptyId = await owner.make(`${at}/applications`, { name: 'Empty' });
  await owner.put(`/applications/${owner.id}/${applicationId}/devices/${linked}`);
  member = await world.member(owner, Role.member);
  const team = await owner.make(`${at}/teams`, { name: 'Watchers' });
  await owner.put(`/teams/${owner.id}/${team}/members/${member.id}`);
  await owner.put(`/teams/${owner.id}/${team}/applications/${applicationId}`, { permission: 'read' });
});

it('counts stored, duplicate and rejected records and undecoded frames in the activity of an organization', async () => {
  const frame = (payload: string) => ({ streamId: 1, streamType: 'RAW', payload, encoding: 'hex' });
  const items = [
    { serial: 'ac-01', data: { t: 1 }, key: 'a' },
    { serial: 'ac-01', data: { t: 1 }, key: 'a' },
    { serial: 'ac-02', data: { t: 2 } },
    { serial: 'ac-01', frame: frame('01') },
    { serial: 'ac-01', frame: frame('0100') },
    { serial: 'ac-02', frame: { ...frame('01'), streamId: 9 } },
    // Decode reports in metadata that the sender wrote are not counted.
    { serial: 'ac-01', data: { t: 3 }, metadata: { decode: { status: 'failed' } } },
    { serial: 'ac-01', ts: 1, data: {} },
    { serial: 'ff-ff', data: {} },
    { serial: 'ff-fe', data: {} },
    { serial: 'ac-01', frame: { ...frame('zz') } },
  ];
  const posted = await owner.post<{ accepted: number; duplicates: number; rejected: number }>(`${at}/records`, items);
  expect(posted.body).toMatchObject({ accepted: 6, duplicates: 1, rejected: 4 });
  // A call that is refused whole counts as one rejected item. A repeat with the same Idempotency-Key is not processed
  // again.
  expect((await owner.post(`${at}/ingest/thingsboard/ff-ff`, { t: 1 })).status).toBe(404);
  const gateway = { 'ff-ff': [{ t: 1 }], 'ac-02': [{ t: 1 }], 'ff-fe': [{ t: 1 }] };
  expect((await owner.post(`${at}/ingest/thingsboard/ff-ff`, gateway)).status).toBe(204);
  const { decodePartial, decodeFailed, ...total } = await counted(owner, 15);
  expect(total).toEqual({
    stored: 7,
    duplicates: 1,
    rejected: 7,
    rejections: [
      { code: 'BAD_PAYLOAD', count: 1 },
      { code: 'TS_OUT_OF_RANGE', count: 1 },
      { code: 'UNKNOWN_DEVICE', count: 5 },
    ],
  });
  expect([decodePartial, decodeFailed]).toEqual([1, 1]);
  const { data } = await read(ofApplications);
  const [ofLinked, ofEmpty] = data!['account'].applications.items as { activity: Bucket[] }[];
  expect(sum(ofLinked!.activity)).toEqual({
    stored: 4,
    duplicates: 1,
    rejected: 1,
    rejections: [{ code: 'TS_OUT_OF_RANGE', count: 1 }],
    decodePartial: 1,
    decodeFailed: 0,
  });
  expect(sum(ofEmpty!.activity)).toMatchObject({ stored: 0, rejected: 0 });
});

it('counts a call once in the activity when it is repeated with its Idempotency-Key', async () => {
  const own = await world.organization();
  await own.make(`/organizations/${own.id}/devices/ab-01`);
  const post = () =>
    own.request('POST', `/organizations/${own.id}/records`, {
      body: [{ serial: 'ab-01', data: {} }],
      headers: { 'idempotency-key': 'once' },
    });
  expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
  await own.post(`/organizations/${own.id}/records`, [{ serial: 'ab-01', data: {} }]);
  expect(await counted(own, 2)).toMatchObject({ stored: 2, duplicates: 0 });
});

describe('activity', () => {
  it('starts buckets on whole minutes, and covers the last day by default', async () => {
    const now = Date.now() / 1000;
    const { data } = await read(ofOrganization, { from: now - 300, to: now, interval: 60 });
    const times = (data!['account'].activity as Bucket[]).map(({ ts }) => ts);
    expect(times).toHaveLength(6);
    expect(times.every((ts, index) => ts % 60 === 0 && ts === times[0]! + index * 60)).toBe(true);
    const usual = (await read(ofOrganization)).data!['account'].activity as Bucket[];
    expect(usual[1]!.ts - usual[0]!.ts).toBe(900);
  });

  it('returns buckets of whole hours when the range reaches back over two days, with unchanged counts', async () => {
    const own = await world.organization();
    await own.make(`/organizations/${own.id}/devices/ab-02`);
    const record = { serial: 'ab-02', data: {} };
    await own.post(`/organizations/${own.id}/records`, [record, record]);
    await counted(own, 2);
    // Inserts counts as if records had been stored in two minutes of one hour, three days ago.
    const begun = Math.floor(Date.now() / 1000 / hourSeconds) * hourSeconds - 72 * hourSeconds;
    await world.pool.query(
      `insert into record_activity select organization_id, application_id, to_timestamp($2::float8 + minute * 60), kind, 2, false
         from record_activity, generate_series(0, 1) minute where organization_id = $1`,
      [own.id, begun],
    );
    const days = { from: begun - hourSeconds, to: begun + 2 * hourSeconds, interval: hourSeconds };
    const before = await read(ofOrganization, days, own);
    expect((before.data!['account'].activity as Bucket[]).map(({ stored }) => stored)).toEqual([0, 4, 0, 0]);
    while (await foldActivity(world.pool, new Date()));
    expect(await read(ofOrganization, days, own)).toEqual(before);
    const { rows } = await world.pool.query(
      'select at from record_activity where organization_id = $1 and at < to_timestamp($2)',
      [own.id, begun + hourSeconds],
    );
    expect(rows).toHaveLength(1);
    // Without `interval`, the service chooses one that it can answer.
    expect((await read(ofOrganization, { from: days.from, to: days.to }, own)).data).toEqual(before.data);
  });

  it.each([
    ['interval', { from: 0, interval: 86_400 }],
    ['interval', { interval: 90 }],
    ['interval', { interval: 59 }],
    ['interval', { from: Date.now() / 1000 - 72 * hourSeconds, interval: 1800 }],
    ['from', { from: 2, to: 1 }],
  ])('returns VALIDATION_FAILED for an invalid %s', async (path, variables) => {
    const { errors } = await read(ofOrganization, variables);
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } }]);
  });

  it("charges each alias of an activity field against the request's cost", async () => {
    const now = Math.floor(Date.now() / 1000);
    const aliases = (count: number) =>
      `{ account { ${Array.from({ length: count }, (_, n) => `a${n}: activity(from: ${now - 59_000}, to: ${now + n}, interval: 60) { ts }`).join(' ')} } }`;
    expect((await read(aliases(20))).errors).toBeUndefined();
    expect((await read(aliases(30))).errors).toMatchObject([{ message: expect.stringContaining('25,000') }]);
  });
});

describe('access to activity', () => {
  it('refuses the activity of an organization to members who do not own it', async () => {
    const { data, errors } = await read(ofOrganization, {}, member);
    expect(data).toEqual({ account: { activity: null } });
    expect(errors).toMatchObject([{ path: ['account', 'activity'], extensions: { code: 'FORBIDDEN' } }]);
  });

  it('shows the activity of an application only to callers who may read the application', async () => {
    const query = `query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) { activity { stored } } }`;
    const seen = await read(query, { o: owner.id, a: applicationId }, member);
    expect(seen.errors).toBeUndefined();
    for (const [caller, a] of [
      [member, emptyId],
      [await world.organization(), applicationId],
    ] as const)
      expect(await read(query, { o: owner.id, a }, caller)).toMatchObject({
        errors: [{ path: ['application'], extensions: { code: 'NOT_FOUND' } }],
      });
  });
});

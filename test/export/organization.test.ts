import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { Role } from '#entities/enums.js';
import type { Actor } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';

type Line = Record<string, string>;

const world = useWorld();
let owner: AccountActor;
/** Members of teams that may read and change the first application. */
let reader: AccountActor;
let writer: AccountActor;
/** Hooks of the first and the second application. */
let hooks: string[];
const count = 250;

const at = (parameters: Record<string, string> = {}) =>
  `/organizations/${owner.id}/export?${new URLSearchParams(parameters)}`;
const rows = async (actor: Actor, parameters?: Record<string, string>): Promise<Line[]> => {
  const { status, body } = await actor.get<string>(at(parameters));
  expect(status).toBe(200);
  return parse(body, { columns: true, record_delimiter: '\r\n' });
};

beforeAll(async () => {
  owner = await world.organization();
  const organization = `/organizations/${owner.id}`;
  const applications = [
    await owner.make(`${organization}/applications`, { name: 'First' }),
    await owner.make(`${organization}/applications`, { name: 'Second' }),
  ];
  hooks = [];
  for (const [index, id] of applications.entries()) {
    const device = await owner.make(`${organization}/devices/0${index}`, { name: `=${index}+1` });
    await owner.put(`/applications/${owner.id}/${id}/devices/${device}`);
    // The address guard refuses this address, so the deliveries fail at once.
    hooks.push(await owner.make(`/applications/${owner.id}/${id}/hooks`, { url: 'http://127.0.0.1:9/' }));
  }
  await owner.make(`${organization}/devices/0f`);
  await owner.post(
    `${organization}/records`,
    Array.from({ length: 2 * count }, (_, index) => ({ serial: `0${index % 2}`, data: { index } })),
  );
  const member = async (permission: 'read' | 'write') => {
    const actor = await world.member(owner, Role.member);
    const team = await owner.make(`${organization}/teams`, { name: permission });
    await owner.put(`/teams/${owner.id}/${team}/members/${actor.id}`);
    await owner.put(`/teams/${owner.id}/${team}/applications/${applications[0]}`, { permission });
    return actor;
  };
  [reader, writer] = [await member('read'), await member('write')];
});

describe('device export of an organization', () => {
  it('contains all devices for owners, with formulas escaped, and the readable ones for members', async () => {
    const found = await rows(owner);
    expect(found.map(({ serial, name }) => [serial, name])).toEqual([
      ['00', "'=0+1"],
      ['01', "'=1+1"],
      ['0f', ''],
    ]);
    expect((await rows(reader)).map(({ serial }) => serial)).toEqual(['00']);
  });

  it('resumes after a cursor, as NDJSON too', async () => {
    const [first] = await rows(owner, { columns: 'serial,cursor' });
    const parameters = { columns: 'serial', format: 'ndjson', after: first!['cursor']! };
    expect((await owner.get<string>(at(parameters))).body).toBe('{"serial":"01"}\n{"serial":"0f"}\n');
  });
});

describe('delivery export of an organization', () => {
  it('contains each delivery of all applications once, in order of creation', async () => {
    const found = await rows(owner, { of: 'deliveries' });
    const ids = found.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted());
    for (const hook of hooks)
      expect(found.filter(({ applicationHookId }) => applicationHookId === hook)).toHaveLength(count);
    expect(await rows(owner, { of: 'deliveries', state: 'succeeded' })).toEqual([]);
  });

  it('contains for members only the applications that they may change', async () => {
    const found = await rows(writer, { of: 'deliveries' });
    expect(found).toHaveLength(count);
    expect(new Set(found.map(({ applicationHookId }) => applicationHookId))).toEqual(new Set([hooks[0]]));
    expect(await rows(reader, { of: 'deliveries' })).toEqual([]);
  });
});

it('returns 422 for an organization export of records, and 404 to other organizations', async () => {
  expect(await owner.get(at({ of: 'records' }))).toMatchObject({ status: 422, body: { errors: [{ path: 'of' }] } });
  expect(await owner.get(at({ from: '5' }))).toMatchObject({ status: 422, body: { errors: [{ path: 'from' }] } });
  expect((await (await world.organization()).get(at())).status).toBe(404);
});

it('returns an address in organizationExport from which the export can be downloaded', async () => {
  const { body } = await owner.graph(
    'query ($o: ID!) { organizationExport(organizationId: $o, of: devices, columns: ["serial"]) { url } }',
    { o: owner.id },
  );
  const response = await fetch(body.data!['organizationExport'].url, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  expect(await response.text()).toBe('serial\r\n00\r\n01\r\n0f\r\n');
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { engineRoutes } from '#elasticsearch/routes.js';
import { Role, TokenScope } from '#entities/enums.js';
import type { AccountActor } from '../support/world.js';
import { useWorld } from '../support/world.js';
import { send } from './field.js';

const world = useWorld();

type Who = 'nobody' | 'owner' | 'member' | 'reader' | 'read token' | 'ingest token' | 'other organization';
const tokens = {} as Record<Who, string>;
let url: string;
/** Cursors of the application, opened by its owner. */
let scrollId: string;
let pointInTime: string;

/** The status for each caller, of a request that reads and of one that writes. */
const expected: Record<Who, [read: number, write: number]> = {
  nobody: [401, 401],
  owner: [200, 403],
  member: [404, 404],
  reader: [200, 403],
  'read token': [200, 403],
  'ingest token': [403, 403],
  'other organization': [404, 404],
};

beforeAll(async () => {
  const organization = await world.organization();
  const at = `/organizations/${organization.id}`;
  const applicationId = await organization.make(`${at}/applications`, { name: 'Field' });
  const teamId = await organization.make(`${at}/teams`, { name: 'Readers' });
  const reader = await world.member(organization, Role.member);
  await organization.put(`/teams/${organization.id}/${teamId}/applications/${applicationId}`, { permission: 'read' });
  await organization.put(`/teams/${organization.id}/${teamId}/members/${reader.id}`);
  const bearer = async (scope: TokenScope) => (await world.bearer({ organizationId: organization.id, scope })).token!;
  const tokenOf = async (actor: Promise<AccountActor>) => (await actor).token!;
  Object.assign(tokens, {
    nobody: '',
    owner: organization.token,
    member: await tokenOf(world.member(organization, Role.member)),
    reader: reader.token,
    'read token': await bearer(TokenScope.read),
    'ingest token': await bearer(TokenScope.ingest),
    'other organization': await tokenOf(world.organization()),
  });
  url = `${world.url}/ddp/v1/applications/${organization.id}/${applicationId}/elasticsearch`;
  const field = { url, token: tokens.owner } as never;
  scrollId = (await send(field, 'POST', '/records/_search?scroll=1m', { body: {} })).body['_scroll_id'] as string;
  pointInTime = (await send(field, 'POST', '/records/_pit?keep_alive=1m')).body['id'] as string;
});

const places = engineRoutes.flatMap(({ verbs, paths, changes }) =>
  paths.flatMap((path) => verbs.map((verb) => ({ verb, path, changes }))),
);

/** Paths that name an object which does not exist return 404 to callers who may read. */
const needsThing = (path: string) => /_doc|_source|scroll/.test(path);
const opensPit = (path: string) => path.startsWith('/:index/') && /_pit|point_in_time/.test(path);
/** Returns a body for paths that return 400 without one. */
const bodyOf = (path: string): string | object | undefined => {
  if (path.endsWith('_msearch')) return '{}\n{"size":0}\n';
  if (path.endsWith('/scroll')) return { scroll_id: scrollId };
  return path.endsWith('/_pit') || path.endsWith('/point_in_time')
    ? { id: pointInTime, pit_id: [pointInTime] }
    : undefined;
};

describe.each(Object.keys(expected) as Who[])('Elasticsearch-compatible endpoint for: %s', (who) => {
  it.each(places)('returns the expected status for $verb $path', async ({ verb, path, changes }) => {
    const place = path.replaceAll(/:(\w+)/g, (_match, name: string) =>
      name === 'index' ? 'records' : path.includes('scroll') ? scrollId : 'x',
    );
    const body = path.includes(':index') && path.endsWith('_pit') ? undefined : bodyOf(path);
    const query = path.endsWith('_field_caps') ? '?fields=*' : opensPit(path) ? '?keep_alive=1m' : '';
    const field = { url, token: tokens[who] } as never;
    const answer = await send(field, verb, `${place}${query}`, body === undefined ? {} : { body });
    const [read, write] = expected[who];
    const wanted = changes ? write : read;
    expect(answer.status).toBe(wanted === 200 && needsThing(path) && answer.status === 404 ? 404 : wanted);
    if (wanted !== 200) expect(answer.body.error.root_cause).toHaveLength(1);
  });
});

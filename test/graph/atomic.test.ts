import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { GraphAnswer } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let at: string;

beforeEach(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
});

const operations = {
  createTeam: 'mutation ($o: ID!, $name: String!) { createTeam(organizationId: $o, name: $name) { id } }',
  updateTeam:
    'mutation ($o: ID!, $id: ID!, $name: String!) { updateTeam(organizationId: $o, teamId: $id, name: $name) { id name } }',
  registerDevice:
    'mutation ($o: ID!, $serial: Serial!) { registerDevice(organizationId: $o, deviceSerial: $serial) { id } }',
  putApplications:
    'mutation ($o: ID!, $items: [ApplicationInput!]!) { putApplications(organizationId: $o, applications: $items) { created } }',
};

const send = (name: keyof typeof operations, variables: object, extensions?: object) => ({
  query: operations[name],
  variables: { o: owner.id, ...variables },
  ...(extensions && { extensions }),
});

const names = async (what: string) =>
  (await owner.get<{ name?: string; serial?: string }[]>(`${at}/${what}?limit=100`)).body.map(
    ({ name, serial }) => serial ?? name,
  );

describe('an atomic batch', () => {
  const atomic = { atomic: true };

  it('does all its mutations, each seeing what those before it changed', async () => {
    const id = await owner.make(`${at}/teams`, { name: 'Old' });
    const { status, body } = await owner.postGraph<GraphAnswer[]>([
      send('createTeam', { name: 'New' }, atomic),
      send('registerDevice', { serial: 'a0-01' }),
      send('putApplications', { items: [{ externalId: 'a', name: 'Field' }] }),
      send('updateTeam', { id, name: 'First' }),
      send('updateTeam', { id, name: 'Second' }),
    ]);
    expect(status).toBe(200);
    expect(body.flatMap(({ errors }) => errors ?? [])).toEqual([]);
    expect(body[4]).toMatchObject({ data: { updateTeam: { id, name: 'Second' } } });
    expect(await names('teams')).toEqual(['Second', 'New']);
    expect(await names('devices')).toEqual(['a0-01']);
    expect(await names('applications')).toEqual(['Field']);
  });

  it('does none of them when one fails, and says which', async () => {
    const id = await owner.make(`${at}/teams`, { name: 'Old' });
    await owner.make(`${at}/devices/a0-01`);
    const { body } = await owner.postGraph<GraphAnswer[]>([
      send('createTeam', { name: 'New' }, atomic),
      send('putApplications', { items: [{ externalId: 'a', name: 'Field' }] }),
      send('updateTeam', { id, name: 'First' }),
      send('registerDevice', { serial: 'A0-01' }),
      send('createTeam', { name: 'Later' }),
    ]);
    expect(body).toHaveLength(5);
    expect(body.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual(Array.from({ length: 5 }, () => 'CONFLICT'));
    expect(body[3]!.errors![0]!.message).toContain('a0-01');
    expect(body[0]!.errors![0]!.message).toContain('operation 3');
    expect(await names('teams')).toEqual(['Old']);
    expect(await names('applications')).toEqual([]);
  });

  it('does none of them when one breaks a rule or is not permitted', async () => {
    const stranger = await world.organization();
    for (const bad of [send('createTeam', { name: '' }), send('createTeam', { name: 'X', o: stranger.id })]) {
      await owner.postGraph([send('createTeam', { name: 'New' }, atomic), bad]);
      expect(await names('teams')).toEqual([]);
    }
  });

  it('refuses queries and mutations that cannot be undone, and does nothing', async () => {
    const query = { query: '{ account { id } }' };
    const ingest = {
      query: 'mutation ($o: ID!) { ingestRecords(organizationId: $o, records: []) { accepted } }',
      variables: { o: owner.id },
    };
    for (const other of [query, ingest, { query: '{' }]) {
      const { status, body } = await owner.postGraph([send('createTeam', { name: 'New' }, atomic), other]);
      expect(status).toBe(422);
      expect(body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: '1' }] } }] });
    }
    expect(await names('teams')).toEqual([]);
  });
});

describe('an atomic batch of persisted mutations', () => {
  const persisted = (query: string) => ({
    persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
    atomic: true,
  });

  it('does all of them once their texts are known, and none while one is unknown', async () => {
    const query = `${operations.createTeam} # ${owner.id}`;
    const byHash = (name: string) => ({ variables: { o: owner.id, name }, extensions: persisted(query) });
    const { body: unknown } = await owner.postGraph<GraphAnswer[]>([send('createTeam', { name: 'A' }), byHash('B')]);
    expect(unknown.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual([
      'CONFLICT',
      'PERSISTED_QUERY_NOT_FOUND',
    ]);
    expect(await names('teams')).toEqual([]);
    await owner.postGraph({ ...byHash('C'), query });
    const { body } = await owner.postGraph<GraphAnswer[]>([byHash('D'), byHash('E')]);
    expect(body.flatMap(({ errors }) => errors ?? [])).toEqual([]);
    await owner.postGraph([byHash('F'), byHash('')]);
    expect((await names('teams')).toSorted()).toEqual(['C', 'D', 'E']);
  });

  it('runs an operation whose mutation that it does not take is left out by a directive', async () => {
    const query = `mutation ($o: ID!, $run: Boolean!) {
      createTeam(organizationId: $o, name: "A") { id }
      createApiToken(organizationId: $o) @include(if: $run) { token }
    }`;
    const ask = (run: boolean) =>
      owner.postGraph([{ query, variables: { o: owner.id, run }, extensions: { atomic: true } }]);
    expect(await ask(true)).toMatchObject({ status: 422 });
    expect(await names('teams')).toEqual([]);
    expect(await ask(false)).toMatchObject({ status: 200 });
    expect(await names('teams')).toEqual(['A']);
  });

  it('undoes all mutations of one operation outside of an array when one fails', async () => {
    const query = `mutation ($o: ID!) {
      a: createTeam(organizationId: $o, name: "A") { id }
      b: createTeam(organizationId: $o, name: "") { id }
    }`;
    const { body } = await owner.postGraph({ query, variables: { o: owner.id }, extensions: { atomic: true } });
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
    expect(await names('teams')).toEqual([]);
  });

  it.each([
    [{ atomic: 'true' }, {}, 'extensions.atomic'],
    [{ atomic: 1 }, {}, 'extensions.atomic'],
    [{ atomic: null }, {}, 'extensions.atomic'],
    [{ concurrent: 'yes' }, {}, 'extensions.concurrent'],
    [{}, { atomic: true }, 'atomic'],
  ])('returns 422 for a flag that it would ignore: %j, %j', async (extensions, beside, path) => {
    const operation = { ...send('createTeam', { name: 'A' }, extensions), ...beside };
    const answers = [
      await owner.postGraph(operation),
      await owner.postGraph([send('createTeam', { name: 'B' }), operation]),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422]);
    const paths = answers.map(({ body }) => (body.errors![0]!.extensions['errors'] as { path: string }[])[0]!.path);
    expect(paths).toEqual([path, `1.${path}`]);
    expect(await names('teams')).toEqual([]);
  });
});

describe('concurrent operations of a batch', () => {
  it('answers the operations in order, and each changes its own', async () => {
    const batch = Array.from({ length: 60 }, (_, index) =>
      index % 10 === 9
        ? { query: '{ account { id } }' }
        : send('createTeam', { name: `T${index}` }, { concurrent: true }),
    );
    const { body } = await owner.postGraph<GraphAnswer[]>(batch);
    expect(body.flatMap(({ errors }) => errors ?? [])).toEqual([]);
    expect(body.map(({ data }) => Object.keys(data!)[0])).toEqual(
      batch.map(({ query }) => (query.startsWith('{') ? 'account' : 'createTeam')),
    );
    expect(await names('teams')).toHaveLength(54);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import { send } from '../elasticsearch/field.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

/** An application with a device, one of its records, and a delivery of its hook. */
interface Tenant {
  organizationId: string;
  applicationId: string;
  /** REST path of the application. */
  path: string;
  hookId: string;
  recordId: string;
  deliveryId: string;
}

async function newTenant(owner: AccountActor, serial: string): Promise<Tenant> {
  const at = `/organizations/${owner.id}`;
  const deviceId = await owner.make(`${at}/devices/${serial}`);
  const applicationId = await owner.make(`${at}/applications`, { name: serial });
  const path = `/applications/${owner.id}/${applicationId}`;
  await owner.put(`${path}/devices/${deviceId}`);
  const hookId = await owner.make(`${path}/hooks`, { url: 'http://127.0.0.1:9/' });
  const recordId = await store(owner, serial);
  const { body } = await owner.get<{ id: string }[]>(`${path}/hooks/${hookId}/deliveries`);
  return { organizationId: owner.id, applicationId, path, hookId, recordId, deliveryId: body[0]!.id };
}

async function store(owner: AccountActor, serial: string): Promise<string> {
  const path = `/organizations/${owner.id}/records?verbose=true`;
  const { body } = await owner.post<{ results: { recordId: string }[] }>(path, { serial, data: { level: 1 } });
  return body.results[0]!.recordId;
}

let owner: AccountActor;
/** A member who may change the first application only. */
let writer: AccountActor;
let own: Tenant;
let beside: Tenant;
let theirs: Tenant;

beforeAll(async () => {
  owner = await world.organization();
  writer = await world.member(owner, Role.member);
  own = await newTenant(owner, 'aa-01');
  beside = await newTenant(owner, 'aa-02');
  theirs = await newTenant(await world.organization(), 'aa-01');
  const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Writers' });
  await owner.put(`/teams/${owner.id}/${teamId}${own.path.replace(`/${owner.id}`, '')}`, { permission: 'write' });
  await owner.put(`/teams/${owner.id}/${teamId}/members/${writer.id}`);
});

type Ask = (caller: AccountActor, id: string) => Promise<unknown>;

const graph =
  (document: string): Ask =>
  async (caller, id) =>
    (await caller.graph(document, { id })).body;

const searched = (caller: AccountActor, query: object) =>
  caller.post<any>(`${own.path}/search`, {
    ts: { gte: 0, lte: Date.now() / 1000 + 60 },
    queries: [{ products: [], ...query }],
  });

const search =
  (queryOf: (id: string) => object): Ask =>
  async (caller, id) => {
    const { body } = await searched(caller, { query: queryOf(id), aggs: { n: { value_count: { field: '_id' } } } });
    return body;
  };

const engine =
  (verb: string, pathOf: (id: string) => string, bodyOf?: (id: string) => object): Ask =>
  async (caller, id) => {
    const url = `${world.url}/ddp/v1${own.path}/elasticsearch`;
    const field = { url, token: caller.token! } as Parameters<typeof send>[0];
    const { status, body } = await send(field, verb, pathOf(id), bodyOf ? { body: bodyOf(id) } : {});
    return { status, body };
  };

const rest =
  (verb: string, pathOf: (id: string) => string): Ask =>
  async (caller, id) => {
    const { status, body } = await caller.call(verb, pathOf(id));
    return { status, body };
  };

/** Everything that takes the identifier of a record. */
const ofRecords: Record<string, Ask> = {
  'node of the graph': graph('query ($id: ID!) { node(id: $id) { __typename id ... on Record { ts data } } }'),
  'nodes of the graph': graph('query ($id: ID!) { nodes(ids: [$id]) { __typename id } }'),
  'an ids query': search((id) => ({ ids: { values: [id] } })),
  'a term query of _id': search((id) => ({ term: { _id: id } })),
  'a range query of _id': search((id) => ({ range: { _id: { gte: id, lte: id } } })),
  'a wildcard query of _id': search((id) => ({ wildcard: { _id: `${id.slice(0, -1)}*` } })),
  'a query string': search((id) => ({ query_string: { query: `_id:"${id}"` } })),
  _doc: engine('GET', (id) => `/records/_doc/${id}`),
  _source: engine('GET', (id) => `/records/_source/${id}`),
  _count: engine(
    'POST',
    () => '/records/_count',
    (id) => ({ query: { ids: { values: [id] } } }),
  ),
  'an export': rest('GET', (id) => `${own.path}/export?query=${JSON.stringify({ ids: { values: [id] } })}`),
};

/** Everything that takes the identifier of a delivery. */
const ofDeliveries: Record<string, Ask> = {
  'node of the graph': graph('query ($id: ID!) { node(id: $id) { __typename id } }'),
  'nodes of the graph': graph('query ($id: ID!) { nodes(ids: [$id]) { __typename id } }'),
  'GET of a delivery': rest('GET', (id) => `${own.path}/hooks/${own.hookId}/deliveries/${id}`),
  'POST redeliver': rest('POST', (id) => `${own.path}/hooks/${own.hookId}/deliveries/${id}/redeliver`),
};

/** Asks with an identifier, and leaves out of the answer what differs from call to call. */
const answerTo = async (ask: Ask, caller: AccountActor, id: string): Promise<string> =>
  JSON.stringify(await ask(caller, id))
    .replaceAll(id, 'the identifier')
    .replaceAll(/"(took|requestId)":("[^"]*"|\d+)/g, '"$1":0');

describe('the identifier of a record', () => {
  it('differs from that of the next one by its time and counter alone', async () => {
    const next = await store(owner, 'aa-01');
    expect(next > theirs.recordId && theirs.recordId > own.recordId).toBe(true);
    expect(new Set([own, beside, theirs].map(({ recordId }) => recordId.slice(-10)))).toEqual(
      new Set([next.slice(-10)]),
    );
  });

  describe.each(Object.entries(ofRecords))('given to %s', (_, ask) => {
    it('finds the own record', async () => {
      const unknown = await answerTo(ask, owner, newId());
      expect(await answerTo(ask, owner, own.recordId)).not.toBe(unknown);
      expect(await answerTo(ask, writer, own.recordId)).not.toBe(unknown);
    });

    it('answers for a record of another organization as for an unknown one', async () => {
      expect(await answerTo(ask, owner, theirs.recordId)).toBe(await answerTo(ask, owner, newId()));
    });

    it('answers for a record that the member may not read as for an unknown one', async () => {
      expect(await answerTo(ask, writer, beside.recordId)).toBe(await answerTo(ask, writer, newId()));
    });
  });

  it('takes it in search_after as a position in what the caller can read', async () => {
    const { body } = await searched(owner, { sort: [{ _id: 'desc' }], search_after: [theirs.recordId] });
    const found = body.responses[0].hits.hits.map((hit: { _id: string }) => hit._id);
    expect(found).toEqual([own.recordId]);
  });
});

describe('the identifier of a delivery', () => {
  it('sorts after that of its record', () => {
    for (const { recordId, deliveryId } of [own, beside, theirs]) expect(deliveryId > recordId).toBe(true);
  });

  describe.each(Object.entries(ofDeliveries))('given to %s', (_, ask) => {
    it('finds the own delivery', async () => {
      const unknown = await answerTo(ask, owner, newId());
      expect(await answerTo(ask, owner, own.deliveryId)).not.toBe(unknown);
      expect(await answerTo(ask, writer, own.deliveryId)).not.toBe(unknown);
    });

    it('answers for a delivery of another organization as for an unknown one', async () => {
      expect(await answerTo(ask, owner, theirs.deliveryId)).toBe(await answerTo(ask, owner, newId()));
    });

    it('answers for a delivery of another application as for an unknown one', async () => {
      expect(await answerTo(ask, writer, beside.deliveryId)).toBe(await answerTo(ask, writer, newId()));
    });
  });
});

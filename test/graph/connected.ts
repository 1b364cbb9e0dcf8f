import { beforeAll, expect } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld, type World } from '../support/world.js';

let world: World;
/** The organization that owns the objects in the connections. */
export let owner: AccountActor;
/** Identifiers of the objects whose lists the connections read. */
export let ids: { o: string; application: string; device: string; hook: string };
let count = 0;
const fresh = () => (++count).toString(16).padStart(4, '0');

/** A page field, its connection, and how to create its items. */
export interface Connected {
  /** The parent field; absent for a root query. */
  above?: string;
  page: string;
  /** Further arguments of the connection. */
  with?: string;
  /** Creates one more item. */
  make: () => Promise<unknown>;
  /** Deletes an item; absent when items cannot be deleted. */
  remove?: (id: string) => Promise<unknown>;
}

const inOrganization = 'organization(organizationId: $o)';
export const inApplication = 'application(organizationId: $o, applicationId: $application)';
/** Fills identifiers into a REST path. */
export const at = (path: string) => `/${path.replace('$o', ids.o).replace('$application', ids.application)}`;

const newDevice = async () => {
  const name = count % 3 === 0 ? {} : { name: `Device ${count % 2}` };
  const id = await owner.make(at(`organizations/$o/devices/${fresh()}`), name);
  await owner.put(at(`applications/$o/$application/devices/${id}`));
};
const removeDevice = async (id: string) => {
  await owner.delete(at(`applications/$o/$application/devices/${id}`));
  await owner.delete(at(`devices/$o/${id}`));
};
const applications = {
  make: () => owner.make(at('organizations/$o/applications'), { name: `A${fresh()}` }),
  remove: (id: string) => owner.delete(at(`applications/$o/${id}`)),
};
const product = {
  make: () => owner.make(at('organizations/$o/products'), { name: `P${fresh()}`, version: '1', variables: [] }),
  remove: (id: string) => owner.delete(at(`products/$o/${id}`)),
};
const member = {
  make: () => world.member(owner, Role.member),
  remove: (id: string) => owner.delete(at(`organizations/$o/members/${id}`)),
};
const hooks = {
  make: () =>
    owner.make(at('applications/$o/$application/hooks'), { url: `http://127.0.0.1:9/${fresh()}`, disabled: true }),
  remove: (id: string) => owner.delete(at(`applications/$o/$application/hooks/${id}`)),
};
const delivery = {
  async make() {
    const id = await owner.make(at(`applications/$o/$application/hooks/${ids.hook}/ping`));
    for (;;) {
      const { rowCount } = await world.pool.query('select from delivery where id = $1 and done', [id]);
      if (rowCount === 1) return;
      await new Promise((later) => setTimeout(later, 20));
    }
  },
};
const record = { make: () => owner.post(at(`devices/$o/${ids.device}/records`), { data: { n: ++count } }) };

const ofApplication = 'organizationId: $o, applicationId: $application';
/** Connections of all kinds. */
export const connections: Connected[] = [
  { page: 'devices', with: 'organizationId: $o', make: newDevice, remove: removeDevice },
  { above: inOrganization, page: 'devices', make: newDevice, remove: removeDevice },
  { above: inApplication, page: 'devices', make: newDevice, remove: removeDevice },
  { page: 'applicationDevices', with: ofApplication, make: newDevice, remove: removeDevice },
  { page: 'applications', with: 'organizationId: $o', ...applications },
  { above: inOrganization, page: 'applications', ...applications },
  { page: 'products', with: 'organizationId: $o', ...product },
  { above: inOrganization, page: 'products', ...product },
  { page: 'organizationMembers', with: 'organizationId: $o', ...member },
  { above: inOrganization, page: 'members', ...member },
  { page: 'applicationHooks', with: ofApplication, ...hooks },
  { above: inApplication, page: 'hooks', ...hooks },
  { page: 'applicationHookDeliveries', with: `${ofApplication}, applicationHookId: $hook`, ...delivery },
  { above: `applicationHook(${ofApplication}, applicationHookId: $hook)`, page: 'deliveries', ...delivery },
  { above: inApplication, page: 'deliveries', ...delivery },
  { above: 'device(organizationId: $o, deviceId: $device)', page: 'records', ...record },
  { above: inApplication, page: 'records', ...record },
];
export const named = connections.map((each) => ({ name: `${each.above ?? ''} ${each.page}Connection`, ...each }));

/** Builds a document that aliases a list as `list`, below `above`. */
const documentOf = ({ above, with: given = '' }: Connected, field: string, more: string, selection: string) => {
  const list = `list: ${field}(${given} ${more}) { ${selection} }`;
  const paging = more.includes('$first') ? '$after: String, $first: Int!, ' : '';
  return `query ($o: ID!, $application: ID!, $device: ID!, $hook: ID!, ${paging} $sort: String) {
    known: nodes(ids: [$o, $application, $device, $hook]) { id }
    ${above === undefined ? list : `above: ${above} { ${list} }`}
  }`;
};

/** Queries a list below its parent. */
export async function ask(connected: Connected, field: string, more: string, selection: string, variables: object) {
  const { body } = await owner.graph(documentOf(connected, field, more, selection), { ...ids, ...variables });
  return { list: (body.data?.['above'] ?? body.data)?.list, fault: body.errors?.[0] };
}

/** The answer of a connection. */
export interface Part {
  edges: { cursor: string; node: { id: string } }[];
  nodes: { id: string }[];
  totalCount: number;
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

const whole = `totalCount edges { cursor node { id } } nodes { id }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
const partArguments = 'first: $first, after: $after, sort: $sort';

/** Queries a part of a list by its connection. */
export async function part(connected: Connected, variables: object): Promise<Part> {
  const { list, fault } = await ask(connected, `${connected.page}Connection`, partArguments, whole, {
    first: 2,
    after: null,
    sort: null,
    ...variables,
  });
  expect(fault).toBeUndefined();
  return list as Part;
}

/** Returns the error of a connection. */
export async function faultOf(connected: Connected, variables: object): Promise<unknown> {
  const asked = { first: 2, after: null, sort: null, ...variables };
  return (await ask(connected, `${connected.page}Connection`, partArguments, whole, asked)).fault;
}

/** Returns the identifiers of all parts in order; `between` runs after each part. */
export async function walk(connected: Connected, variables: object, between = async (_given: string[]) => {}) {
  const given: string[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const { edges, nodes, pageInfo } = await part(connected, { ...variables, after });
    expect(nodes).toEqual(edges.map(({ node }) => node));
    expect(pageInfo).toMatchObject({
      hasPreviousPage: after !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    });
    given.push(...nodes.map(({ id }) => id));
    ({ endCursor: after, hasNextPage: more } = pageInfo);
    await between(given);
  }
  return given;
}

/** Creates an organization with several objects of every kind before the tests of a file. */
export function useConnections(): void {
  world = useWorld();
  beforeAll(furnish);
}

async function furnish(): Promise<void> {
  owner = await world.organization();
  const o = owner.id;
  const inside = `/organizations/${o}`;
  const application = await owner.make(`${inside}/applications`, { name: 'All' });
  const device = await owner.make(`${inside}/devices/aa`);
  await owner.put(`/applications/${o}/${application}/devices/${device}`);
  const hooksAt = `/applications/${o}/${application}/hooks`;
  // The hook is disabled, so that no record is delivered and only the tests change anything.
  const hook = await owner.make(hooksAt, { url: 'http://127.0.0.1:9/', disabled: true });
  ids = { o, application, device, hook };
  await owner.make(`${inside}/products`, { name: 'P', version: '1', variables: [] });
  await world.member(owner, Role.member);
  for (const { make } of [{ make: newDevice }, applications, product, member, hooks, delivery, record]) {
    for (let nth = 0; nth < 8; nth++) await make();
  }
}

import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
/** A member who may write the first application only. */
let member: AccountActor;
let application: string;
let deviceId: string;
let ids: { organizationId: string; applicationId: string };

/** A field that nobody has, as long as each name of the other application. */
const nobodys = 'nobodys1';
/** Fields that only the other application has: sent as each kind, nested, in metadata, and declared. */
const theirs = {
  number: 'numbers1',
  text: 'strings1',
  flag: 'boolean1',
  list: 'several1',
  object: 'objects1',
  'declared number': 'declare1',
  'declared text': 'declare2',
  'field of devices without a product': 'without1',
};

beforeAll(async () => {
  const owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const linked = async (name: string, serial: string, variables?: object[]) => {
    const applicationId = await owner.make(`${at}/applications`, { name });
    const product = variables && (await owner.make(`${at}/products`, { name, version: '1', variables }));
    const device = await owner.make(`${at}/devices/${serial}`, product ? { product: { id: product } } : {});
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${device}`);
    return { applicationId, device };
  };
  const own = await linked('Own', '0b-01', [{ name: 'own', type: 'FLOAT32' }]);
  const declared = [
    { name: theirs['declared number'], type: 'INT16' },
    { name: theirs['declared text'], type: 'TXT' },
  ];
  await linked('Theirs', '0b-02', declared);
  await linked('Bare', '0b-03');
  const sent = await owner.post<{ accepted: number }>(`${at}/records`, [
    {
      serial: '0b-02',
      ts: 1_700_000_000,
      data: {
        [theirs.number]: 1,
        [theirs.text]: 'on',
        [theirs.flag]: true,
        [theirs.list]: [1, 2],
        [theirs.object]: { inner: 1 },
        [theirs['declared number']]: 1,
        [theirs['declared text']]: 'on',
      },
      metadata: { [theirs.number]: 1, [theirs.text]: 'on' },
    },
    { serial: '0b-03', ts: 1_700_000_000, data: { [theirs['field of devices without a product']]: 1 } },
    { serial: '0b-01', ts: Math.floor(Date.now() / 1000) - 60, data: { own: 1 } },
  ]);
  expect(sent.body.accepted).toBe(3);
  deviceId = own.device;
  ids = { organizationId: owner.id, applicationId: own.applicationId };
  application = `/applications/${owner.id}/${own.applicationId}`;
  member = await world.member(owner, Role.member);
  const team = await owner.make(`${at}/teams`, { name: 'Writers' });
  await owner.put(`/teams/${owner.id}/${team}/members/${member.id}`);
  await owner.put(`/teams/${owner.id}/${team}/applications/${own.applicationId}`, { permission: 'write' });
});

/** Calls as the member, also where answers have the engines' form. */
const call = async (path: string, body?: object) => {
  const response = await fetch(`${member.base}${application}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${member.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.text() };
};

/** Parts of searches that name a field. */
const searches: Record<string, (field: string) => object> = {
  sort: (field) => ({ sort: [{ [field]: 'asc' }] }),
  'sort with a default': (field) => ({ sort: [{ [field]: { order: 'asc', missing: 'x' } }] }),
  'sort with a type': (field) => ({ sort: [{ [field]: { order: 'asc', unmapped_type: 'long' } }] }),
  'geographic sort': (field) => ({ sort: [{ _geo_distance: { [field]: { lat: 1, lon: 1 } } }] }),
  terms: (field) => ({ aggs: { a: { terms: { field } } } }),
  'terms with a default': (field) => ({ aggs: { a: { terms: { field, missing: 'none' } } } }),
  histogram: (field) => ({ aggs: { a: { histogram: { field, interval: 1 } } } }),
  composite: (field) => ({ aggs: { a: { composite: { sources: [{ s: { terms: { field } } }] } } } }),
  average: (field) => ({ aggs: { a: { avg: { field } } } }),
  percentiles: (field) => ({ aggs: { a: { percentiles: { field } } } }),
  cardinality: (field) => ({ aggs: { a: { cardinality: { field } } } }),
  missing: (field) => ({ aggs: { a: { missing: { field } } } }),
  'top metrics': (field) => ({ aggs: { a: { top_hits: { sort: [{ [field]: 'asc' }] } } } }),
  exists: (field) => ({ query: { exists: { field } } }),
  'exists below': (field) => ({ query: { exists: { field: `${field}.inner` } } }),
  'term of another type': (field) => ({ query: { term: { [field]: 'none' } } }),
  'range of another type': (field) => ({ query: { range: { [field]: { gte: 'none' } } } }),
  regexp: (field) => ({ query: { regexp: { [field]: 'a+' } } }),
  prefix: (field) => ({ query: { prefix: { [field]: 'a' } } }),
  wildcard: (field) => ({ query: { wildcard: { [field]: 'a*' } } }),
  match: (field) => ({ query: { match: { [field]: 'x' } } }),
  'query string': (field) => ({ query: { query_string: { query: `${field}:none` } } }),
  'query string over fields': (field) => ({ query: { query_string: { query: 'none', fields: [`${field}*`] } } }),
  'multi match': (field) => ({ query: { multi_match: { query: 'none', fields: [field] } } }),
  'geographic distance': (field) => ({ query: { geo_distance: { distance: '1km', [field]: { lat: 1, lon: 1 } } } }),
  fields: (field) => ({ fields: [field, `${field}*`] }),
  docvalue_fields: (field) => ({ docvalue_fields: [field, `${field}*`] }),
  highlight: (field) => ({ highlight: { fields: { [field]: {} } } }),
  'post filter': (field) => ({ post_filter: { range: { [field]: { gte: 'none' } } } }),
};

/** Takes what differs between two equal calls out of an answer. */
const shown = ({ status, body }: { status: number; body: unknown }, name: string) =>
  `${status} ${typeof body === 'string' ? body : JSON.stringify(body)}`
    .replaceAll(name, 'FIELD')
    .replaceAll(/"(took|id|createdAt|updatedAt|from|to)":("[^"]*"|\d+)/g, '"$1":0');

type Ask = (name: string) => Promise<{ status: number; body: unknown }>;

/** A query that fits fields of texts only. */
const rangeOf = (name: string) => ({ range: { [`data.${name}`]: { gte: 'none' } } });

/** Every other way to name a field. */
const surfaces: Record<string, Ask> = {
  mapping: () => call(`/elasticsearch/_mapping`),
  'mapping of a field': (name) => call(`/elasticsearch/_mapping/field/data.${name}`),
  'capabilities of a field': (name) =>
    call(`/elasticsearch/_field_caps?fields=data.${name},data.${name}.*,metadata.${name}`),
  'sort in a query string': (name) => call(`/elasticsearch/_search?sort=data.${name}:asc`),
  'query in a query string': (name) => call(`/elasticsearch/_search?q=data.${name}:none`),
  count: (name) => call(`/elasticsearch/_count?q=data.${name}:none`),
  validation: (name) =>
    call(`/elasticsearch/_validate/query?explain=true`, {
      query: rangeOf(name),
    }),
  series: (name) =>
    member.graph(
      'query ($o: ID!, $d: [ID!]!, $v: [String!]!) { series(organizationId: $o, deviceIds: $d, variables: $v, function: last) { deviceId name unit values } }',
      { o: ids.organizationId, d: [deviceId], v: [name] },
    ),
  latest: (name) =>
    member.graph(
      'query ($o: ID!, $d: [ID!]!, $v: [String!]!) { latest(organizationId: $o, deviceIds: $d, variables: $v) { values { name value } } }',
      { o: ids.organizationId, d: [deviceId], v: [name] },
    ),
  'columns of an export': (name) => call(`/export?columns=ts,data.${name},metadata.${name}`),
  'export by a query': (name) => call(`/export?query=${encodeURIComponent(JSON.stringify(rangeOf(name)))}`),
  'export of aggregations': (name) =>
    call(
      `/export?of=aggregations&aggs=${encodeURIComponent(JSON.stringify({ a: { terms: { field: `data.${name}` } } }))}`,
    ),
  'preview of a query': (name) => call('/alert-rules/preview', { kind: 'threshold', when: { query: rangeOf(name) } }),
  'preview of a comparison': (name) =>
    call('/alert-rules/preview', {
      kind: 'threshold',
      when: { all: [{ variable: name, operator: 'gt', value: 0 }] },
    }),
  'alert rule': (name) =>
    call('/alert-rules', {
      name: 'Rule',
      severity: 'warning',
      kind: 'threshold',
      when: { all: [{ variable: name, operator: 'gt', value: 0 }] },
    }),
  'alert rule by a query': (name) =>
    call('/alert-rules', { name: 'Rule', severity: 'warning', kind: 'threshold', when: { query: rangeOf(name) } }),
  subscription: (name) =>
    member.firstEvent(
      `subscription ($organizationId: ID!, $applicationId: ID!, $query: JSONObject) {
        recordReceived(organizationId: $organizationId, applicationId: $applicationId, query: $query) { missed } }`,
      { ...ids, query: rangeOf(name) },
    ),
};

describe.each(Object.entries(theirs))('a %s of another application', (_kind, name) => {
  it.each(Object.keys(searches))('answers in a search like a field that nobody has (%s)', async (way) => {
    const ask = async (field: string) =>
      Promise.all(
        ['data', 'metadata'].map((root) => call(`/elasticsearch/_search`, searches[way]!(`${root}.${field}`))),
      );
    const [other, none] = await Promise.all([ask(name), ask(nobodys)]);
    expect(other.map((answer) => shown(answer, name))).toEqual(none.map((answer) => shown(answer, nobodys)));
  });

  it.each(Object.keys(surfaces))('answers like a field that nobody has (%s)', async (way) => {
    const ask = surfaces[way]!;
    const [other, none] = [await ask(name), await ask(nobodys)];
    expect(shown(other, name)).toBe(shown(none, nobodys));
    expect([200, 400]).toContain(other.status);
  });
});

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc, { type Arbitrary } from 'fast-check';
import { allowed, hostile, nearly, type Schema } from '../support/arbitrary.js';
import { useService } from '../support/service.js';
import { createTenant, createUser, type Tenant } from '../support/tenant.js';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
  content?: Record<string, { schema: Schema }>;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

const { paths, components } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
const resolve = (reference: string) => components.schemas[reference.split('/').at(-1)!]!;

/** Number of requests; `npm run test:all` sends 2,000. */
const cases = Number(process.env['FUZZ_CASES'] ?? 300);

describe('random requests against docs/openapi.json', () => {
  const service = useService();
  let tenant: Tenant;
  const known: Record<string, string[]> = {};
  beforeAll(async () => {
    tenant = await createTenant(service);
    const { owner, id } = tenant;
    const make = async (path: string, body: object) => (await owner.post<{ id: string }>(path, body)).body.id;
    for (let count = 0; count < 5; count += 1) {
      const productId = await make(`/organizations/${id}/products`, { name: 'P', version: '1', variables: [] });
      const applicationId = await make(`/organizations/${id}/applications`, { name: 'A' });
      const made = {
        organizationId: id,
        memberId: (await tenant.member()).id,
        teamId: await make(`/organizations/${id}/teams`, { name: 'T' }),
        productId,
        applicationId,
        deviceId: await make(`/organizations/${id}/devices/ab-${count}`, { product: { id: productId } }),
        applicationHookId: await make(`/applications/${id}/${applicationId}/hooks`, { url: 'http://127.0.0.1:9' }),
        userId: await createUser(service),
      };
      for (const [name, value] of Object.entries(made)) known[name] = [...(known[name] ?? []), value];
    }
  });

  it('returns no 500 or 503 and takes less than 10 s for any request', async () => {
    const calls = fc.oneof(
      ...Object.entries(paths).flatMap(([path, verbs]) =>
        Object.entries(verbs).map(([verb, operation]) => callOf(path, verb, operation, known)),
      ),
    );
    await fc.assert(
      fc.asyncProperty(calls, async ({ method, path, headers, body }) => {
        const begun = performance.now();
        // A call that asks to wait for commands would take as long as it asks.
        const target = path.replace(/(?<=[?&]wait=)\d+/, '0');
        const { status } = await tenant.owner.request(method, target, { headers, body });
        expect([500, 503]).not.toContain(status);
        expect(performance.now() - begun).toBeLessThan(10_000);
      }),
      { numRuns: cases, interruptAfterTimeLimit: 600_000 },
    );
  }, 660_000);
});

function callOf(
  template: string,
  verb: string,
  operation: Operation,
  known: Record<string, string[]>,
): Arbitrary<Call> {
  const parameters = operation.parameters ?? [];
  const path = fc.tuple(
    ...template.split('/').map((segment) => {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
      return parameter === undefined ? fc.constant(segment) : pathValue(parameter, known);
    }),
  );
  const query = queryString(
    parameters.filter((each) => each.in === 'query'),
    known,
  );
  return fc
    .record({ path, query, headers: headersFor(operation), body: bodyFor(operation) })
    .map(({ path: segments, query: search, headers, body }) => ({
      method: verb.toUpperCase(),
      path: `${segments.join('/')}${search === '' ? '' : `?${search}`}`,
      headers,
      ...(body !== undefined && { body }),
    }));
}

const strange = ['%00', '%ED%A0%80', '%zz', '%', '%2F', "'", '%F0%9F%92%A9', 'x'.repeat(3000), '-1', 'null', '%20'];

const encode = (value: unknown): string =>
  encodeURIComponent((typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed());

function pathValue({ name, schema = {} }: Parameter, known: Record<string, string[]>): Arbitrary<string> {
  const others = [
    fc.constantFrom(...strange),
    fc.uuid(),
    allowed(schema, resolve)
      .map(encode)
      .filter((text) => !/^\.*$/.test(text)),
  ];
  const there = known[name];
  return there === undefined
    ? fc.oneof(...others)
    : fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...there) }, ...others);
}

function queryString(parameters: readonly Parameter[], known: Record<string, string[]>): Arbitrary<string> {
  const pairs = parameters.map(({ name, schema, content }) => {
    const value = content
      ? nearly(content['application/json']!.schema, resolve).map((json) => JSON.stringify(json))
      : known[name]
        ? fc.constantFrom(...known[name]).map(encode)
        : nearly(schema ?? {}, resolve);
    const pair = value.map((each) => `${name}=${encode(each)}`);
    return fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      { weight: 2, arbitrary: pair },
      { weight: 1, arbitrary: fc.constantFrom(...strange).map((text) => `${name}=${text}`) },
    );
  });
  const extra = fc.oneof(
    { weight: 20, arbitrary: fc.constant('') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'unknown=1',
        '__proto__[x]=1',
        '=',
        '&&',
        '%',
        'limit=1&limit=2',
        'ids[]=1&ids[2]=%00',
        'ts[gte]=1&ts[gte]=2',
        'queries[][products][]=%00',
      ),
    },
  );
  return fc.tuple(extra, ...pairs).map((all) => all.filter((pair) => pair !== '').join('&'));
}

/** The content types for a file. JSON is the default and needs no header. */
const typesOf = (body: Operation['requestBody']): Record<string, string>[] =>
  body === undefined || 'application/json' in body.content
    ? [{}]
    : Object.keys(body.content).map((type) => ({ 'content-type': type }));

const headersFor = ({ requestBody }: Operation): Arbitrary<Record<string, string>> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...typesOf(requestBody)) },
    {
      weight: requestBody ? 1 : 0,
      arbitrary: fc.constantFrom<Record<string, string>[]>(
        { 'content-type': 'text/plain' },
        { 'content-type': 'application/json; charset=latin1' },
        { 'content-type': 'application/x-ndjson' },
        { 'content-encoding': 'gzip' },
        { 'content-encoding': 'zip' },
        { 'idempotency-key': 'again' },
        { 'x-request-id': 'a b' },
      ),
    },
  );

const rawBodies = [
  '{',
  '[]',
  'null',
  '"x"',
  '\ufeff{}',
  '{"name":1e400}',
  '{"name":"a","name":"b"}',
  '['.repeat(100_000),
  '{"a":'.repeat(5000),
];

/** Bodies to send where a file is expected. */
const rawFiles = [
  'serial,name\na,b\n',
  'serial,ts,n\na,1,2\n',
  'serial;name\n"a;b\n',
  '{"serial":"a","ts":1,"data":{}}\n',
  'PAR1',
  '\0',
  ',\n'.repeat(5000),
];

function bodyFor({ requestBody }: Operation): Arbitrary<string | undefined> {
  if (requestBody === undefined) return fc.constant(undefined);
  const json = requestBody.content['application/json'];
  if (json === undefined) return fc.oneof(fc.constantFrom(...rawFiles, ...rawBodies), fc.string());
  const { schema } = json;
  return fc.oneof(
    { weight: 20, arbitrary: allowed(schema, resolve).map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: hostile.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, ...rawBodies) },
  );
}

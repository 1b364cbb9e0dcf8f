import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { request } from 'undici';
import { useService } from '../support/service.js';

const source = readFileSync('docs/openapi.json', 'utf8');
const document = JSON.parse(source) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
  tags: { name: string }[];
};

interface Operation {
  operationId: string;
  parameters?: { required?: boolean; example?: unknown }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
}

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  required?: string[];
  properties?: Record<string, Schema>;
}

/** Returns the name of the component that a schema refers to. */
const referred = ({ $ref, anyOf = [] }: Schema): string => ($ref ?? anyOf[0]!.$ref!).split('/').at(-1)!;

/** The 46 operations of the contract (docs/contract.md, section 14), in its order. */
const specified = [
  'GET /account',
  'PUT /account',
  'GET /accounts',
  'GET /organizations/{organizationId}',
  'PUT /organizations/{organizationId}',
  'GET /organizations/{organizationId}/members',
  'PUT /organizations/{organizationId}/members/{memberId}',
  'DELETE /organizations/{organizationId}/members/{memberId}',
  'GET /organizations/{organizationId}/teams',
  'POST /organizations/{organizationId}/teams',
  'GET /teams/{organizationId}/{teamId}',
  'PUT /teams/{organizationId}/{teamId}',
  'DELETE /teams/{organizationId}/{teamId}',
  'GET /teams/{organizationId}/{teamId}/members',
  'PUT /teams/{organizationId}/{teamId}/members/{memberId}',
  'DELETE /teams/{organizationId}/{teamId}/members/{memberId}',
  'GET /teams/{organizationId}/{teamId}/applications',
  'PUT /teams/{organizationId}/{teamId}/applications/{applicationId}',
  'DELETE /teams/{organizationId}/{teamId}/applications/{applicationId}',
  'GET /products',
  'GET /organizations/{organizationId}/products',
  'POST /organizations/{organizationId}/products',
  'GET /products/{organizationId}/{productId}',
  'PUT /products/{organizationId}/{productId}',
  'DELETE /products/{organizationId}/{productId}',
  'GET /organizations/{organizationId}/devices',
  'POST /organizations/{organizationId}/devices/{deviceSerial}',
  'GET /devices/{organizationId}/{deviceId}',
  'PUT /devices/{organizationId}/{deviceId}',
  'DELETE /devices/{organizationId}/{deviceId}',
  'GET /organizations/{organizationId}/applications',
  'POST /organizations/{organizationId}/applications',
  'GET /applications/{organizationId}/{applicationId}',
  'PUT /applications/{organizationId}/{applicationId}',
  'DELETE /applications/{organizationId}/{applicationId}',
  'GET /applications/{organizationId}/{applicationId}/search',
  'GET /applications/{organizationId}/{applicationId}/devices',
  'PUT /applications/{organizationId}/{applicationId}/devices/{deviceId}',
  'DELETE /applications/{organizationId}/{applicationId}/devices/{deviceId}',
  'GET /applications/{organizationId}/{applicationId}/hooks',
  'POST /applications/{organizationId}/{applicationId}/hooks',
  'GET /applications/{organizationId}/{applicationId}/hooks/{applicationHookId}',
  'PUT /applications/{organizationId}/{applicationId}/hooks/{applicationHookId}',
  'DELETE /applications/{organizationId}/{applicationId}/hooks/{applicationHookId}',
  'POST /applications/{organizationId}/{applicationId}/hooks/{applicationHookId}/ping',
  'GET /applications/{organizationId}/{applicationId}/hooks/{applicationHookId}/deliveries',
];

const listed = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
);

describe('docs/openapi.json', () => {
  const service = useService();

  it('equals the document that the service returns', async () => {
    const response = await fetch(`${service.url}/ddp/v1/openapi.json`);
    expect(response.headers.get('content-type')).toMatch('application/json');
    expect(await response.json()).toEqual(document);
  });

  it('returns 304 to a client that has the current document', async () => {
    const url = `${service.url}/ddp/v1/openapi.json`;
    const { headers, body } = await request(url);
    await body.dump();
    const again = await request(url, { headers: { 'if-none-match': headers.etag } });
    expect(again.statusCode).toBe(304);
  });

  it('lists every operation of the contract in order', () => {
    expect(listed.filter((operation) => specified.includes(operation))).toEqual(specified);
  });

  it('requires a password for a new hook, and makes it optional in PUT', () => {
    const { schemas } = document.components;
    const basicOf = (verb: string, path: string) => {
      const { schema } = document.paths[path]![verb]!.requestBody!.content['application/json'];
      const authentication = referred(schema.properties!['authentication']!);
      return schemas[referred(schemas[authentication]!.properties!['basic']!)]!.required;
    };
    const hooks = '/applications/{organizationId}/{applicationId}/hooks';
    expect(basicOf('post', hooks)).toEqual(['user', 'pass']);
    expect(basicOf('put', `${hooks}/{applicationHookId}`)).toEqual(['user']);
  });

  it('has no example for optional parameters and no body for GET', () => {
    const all = Object.values(document.paths).flatMap((verbs) => Object.entries(verbs));
    const filters = all.flatMap(([, { parameters = [] }]) => parameters.filter(({ required }) => !required));
    expect(filters.filter(({ example }) => example !== undefined)).toEqual([]);
    // A browser sends no body with a GET.
    expect(all.filter(([verb, { requestBody }]) => verb === 'get' && requestBody !== undefined)).toEqual([]);
  });

  it('promises a default for absent fields of no PUT without saying that an update keeps them', () => {
    const puts = Object.entries(document.paths).flatMap(([path, { put }]) => (put === undefined ? [] : [[path, put]]));
    const promises = puts.flatMap(([path, put]) =>
      [...JSON.stringify(put).matchAll(/"description":"([^"]*(?:by default|unless given|Absent:)[^"]*)"/gi)]
        .map(([, description]) => description!)
        .filter((description) => !/unchanged|for a new/.test(description))
        .map((description) => [path, description]),
    );
    expect(puts.length).toBeGreaterThan(10);
    expect(promises).toEqual([]);
  });

  it('says how many identifiers every parameter and field `ids` takes', () => {
    const lists: object[] = [];
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { name, schema, properties } = value as { name?: unknown; schema?: object; properties?: { ids?: object } };
      if (name === 'ids' && schema !== undefined) lists.push({ ...value, ...schema });
      if (properties?.ids !== undefined) lists.push(properties.ids);
      Object.values(value).forEach(visit);
    };
    visit(document);
    expect(lists.length).toBeGreaterThan(2);
    for (const each of lists)
      expect(each).toMatchObject({ maxItems: 100, description: expect.stringMatching(/ At most 100\.$/) });
  });

  it('passes the linter', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source, config });
    expect(problems.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer }))).toEqual(
      [],
    );
  });

  it('appears on the docs page without requests to other hosts', async () => {
    const response = await fetch(`${service.url}/ddp/v1/docs`);
    const page = await response.text();
    const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address!);
    expect(addresses.filter((address) => address.startsWith('docs/'))).toHaveLength(3);
    expect(addresses.filter((address) => !/^(docs\/|data:)/.test(address))).toEqual([]);
    for (const address of addresses.filter((each) => each.startsWith('docs/'))) {
      expect((await fetch(`${service.url}/ddp/v1/${address}`)).status).toBe(200);
    }
    expect(response.headers.get('content-security-policy')).toMatch("default-src 'none'");
    expect(response.headers.get('content-security-policy')).not.toMatch(/https?:/);
  });
});

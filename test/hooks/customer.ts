import sql from 'sql-template-tag';
import { hashToken, newToken, tokenPrefix } from '#auth/token.js';
import { newId } from '#entities/id.js';
import { plainPoolOf } from '../support/connection.js';
import type { TestService } from '../support/service.js';

/** An HTTP answer, whose body is parsed when it is JSON. */
export interface HttpAnswer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** An owner of an organization that has an application and a linked device, calling over HTTP. */
export interface Customer {
  organizationId: string;
  applicationId: string;
  deviceId: string;
  serial: string;
  token: string;
  /** Address of the application's hooks. */
  hooks: string;
  call<Body = unknown>(method: string, path: string, body?: unknown): Promise<HttpAnswer<Body>>;
  graph(query: string, variables?: object): Promise<HttpAnswer<unknown>>;
  /** Creates a hook and returns its path. */
  hook(values: object): Promise<{ id: string; path: string }>;
  /** Posts `count` records of the device. */
  send(count?: number): Promise<HttpAnswer<unknown>>;
}

/** Creates a customer of a running service. */
export async function buildCustomer(service: TestService): Promise<Customer> {
  const organizationId = newId();
  const username = `o${organizationId.slice(-12)}`;
  const token = newToken();
  const client = plainPoolOf(service.databaseUrl);
  await client.query(sql`insert into account (id, type, username, email, created_at, updated_at)
    values (${organizationId}, 'organization', ${username}, ${`${username}@example.org`}, now(), now())`);
  await client.query(sql`insert into api_token (id, organization_id, scope, hash, prefix, created_at)
    values (${newId()}, ${organizationId}, 'full', ${hashToken(token)}, ${tokenPrefix(token)}, now())`);

  const fetchJson = async <Body>(url: string, method: string, body?: unknown): Promise<HttpAnswer<Body>> => {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as Body,
    };
  };
  const call = <Body>(method: string, path: string, body?: unknown) =>
    fetchJson<Body>(`${service.url}/ddp/v1${path}`, method, body);

  const serial = organizationId.slice(-12);
  const made = async (what: string, values: object) =>
    (await call<{ id: string }>('POST', `/organizations/${organizationId}/${what}`, values)).body.id;
  const applicationId = await made('applications', { name: 'Field' });
  const deviceId = await made(`devices/${serial}`, {});
  const path = `/applications/${organizationId}/${applicationId}`;
  await call('PUT', `${path}/devices/${deviceId}`);
  return {
    organizationId,
    applicationId,
    deviceId,
    serial,
    token,
    hooks: `${path}/hooks`,
    call,
    graph: (query, variables) => fetchJson(`${service.url}/graphql`, 'POST', { query, variables }),
    async hook(values) {
      const { body } = await call<{ id: string }>('POST', `${path}/hooks`, values);
      return { id: body.id, path: `${path}/hooks/${body.id}` };
    },
    send: (count = 1) =>
      call(
        'POST',
        `/organizations/${organizationId}/records`,
        Array.from({ length: count }, (_, index) => ({ serial, data: { index } })),
      ),
  };
}

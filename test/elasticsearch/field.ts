import { beforeAll } from '@jest/globals';
import { request } from 'undici';
import { minuteMs } from '#common/time.js';
import { type TestService, useService } from '../support/service.js';
import { type TestServiceOptions } from '../support/start-service.js';
import { createTenant, type Tenant } from '../support/tenant.js';

/** Time of the first record in milliseconds. */
export const start = Math.floor(Date.now() / minuteMs) * minuteMs - 60 * minuteMs;

/** The answer to a request that is sent without a client library. */
export interface Answered {
  status: number;
  headers: Headers;
  text: string;
  body: any;
}

/** An application with three records of a probe, seen as an index. */
export interface Field {
  service: TestService;
  tenant: Tenant;
  organizationId: string;
  applicationId: string;
  /** The address for clients. */
  url: string;
  token: string;
}

/** Creates an application with records before the tests of the file. */
export const useField = (options?: TestServiceOptions): Field => {
  const service = useService(options);
  const field = {} as Field;
  beforeAll(async () => {
    const tenant = await createTenant(service);
    const { owner, id } = tenant;
    const product = await owner.post<{ id: string }>(`/organizations/${id}/products`, {
      name: 'Probe',
      version: '1',
      variables: [
        { name: 'float', type: 'FLOAT32' },
        { name: 'count', type: 'INT64' },
        { name: 'label', type: 'TXT' },
      ],
    });
    const device = await owner.post<{ id: string }>(`/organizations/${id}/devices/ab-01`, {
      product: { id: product.body.id, organizationId: id },
    });
    const application = await owner.post<{ id: string }>(`/organizations/${id}/applications`, { name: 'Field' });
    await owner.put(`/applications/${id}/${application.body.id}/devices/${device.body.id}`);
    const applicationId = application.body.id;
    const url = `${service.url}/ddp/v1/applications/${id}/${applicationId}/elasticsearch`;
    Object.assign(field, { service, tenant, organizationId: id, applicationId, url, token: owner.token });
    await store(field, [
      { ts: start / 1000, data: { float: 1.5, count: 1, label: 'red' } },
      { ts: start / 1000 + 120, data: { float: 2.5, count: 2, label: 'red' } },
      { ts: start / 1000 + 60, data: { float: 4, count: 3, label: 'blue' } },
    ]);
  });
  return field;
};

/** Stores records of the probe. */
export const store = async ({ tenant, organizationId }: Field, records: readonly object[]): Promise<void> => {
  const body = records.map((record) => ({ serial: 'ab-01', ...record }));
  const answer = await tenant.owner.post<{ accepted: number }>(`/organizations/${organizationId}/records`, body);
  if (answer.body.accepted !== records.length) throw new Error(JSON.stringify(answer.body));
};

/** Sends a request below the application's address. The body is sent as JSON unless it is text or bytes. */
export const send = async (
  { url, token }: Field,
  method: string,
  path: string,
  { body, headers = {} }: { body?: string | Uint8Array | object; headers?: Record<string, string> } = {},
): Promise<Answered> => {
  const response = await request(`${url}${path}`, {
    method: method as 'GET',
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body:
      body === undefined ? null : typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  const text = await response.body.text();
  const { 'content-type': type } = response.headers;
  return {
    status: response.statusCode,
    headers: new Headers(
      Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]),
    ),
    text,
    body: text !== '' && String(type).includes('json') ? JSON.parse(text) : undefined,
  };
};

/** Formats values as NDJSON lines. */
export const lines = (...values: object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

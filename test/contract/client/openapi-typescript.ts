import createClient from 'openapi-fetch';
import type { paths } from './api.js';

/** Posts a record of the device, lists, searches in both ways and creates a hook; returns the answers. */
export async function useClient(
  baseUrl: string,
  token: string,
  of: { organizationId: string; applicationId: string; otherId: string; serial: string },
) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
  const { organizationId, applicationId, otherId, serial } = of;
  const posted = await client.POST('/organizations/{organizationId}/records', {
    params: { path: { organizationId } },
    body: { serial, ts: 1795000000, data: { temperature: 21.5 } },
  });
  const listed = await client.GET('/organizations/{organizationId}/applications', {
    params: { path: { organizationId }, query: { ids: [applicationId, otherId], sort: 'name' } },
  });
  const params = { path: { organizationId, applicationId } };
  const body = { ts: { gte: 1794999999, lte: 1795000001 }, queries: [{ products: [], size: 5 }] };
  const found = await client.POST('/applications/{organizationId}/{applicationId}/search', { params, body });
  const query = { ts: JSON.stringify(body.ts), queries: JSON.stringify(body.queries) };
  const foundByGet = await client.GET('/applications/{organizationId}/{applicationId}/search', {
    params: { ...params, query },
  });
  const hook = await client.POST('/applications/{organizationId}/{applicationId}/hooks', {
    params,
    body: { url: 'https://receiver.example/records', authentication: { bearer: { value: '3c9d' } } },
  });
  return {
    accepted: posted.data!.accepted,
    listed: listed.data!.map(({ name }) => name),
    found: found.data!.responses[0]!.hits,
    foundByGet: foundByGet.data!.responses[0]!.hits,
    hookId: hook.data!.id,
  };
}

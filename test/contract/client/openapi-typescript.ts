import createClient from 'openapi-fetch';
import type { paths } from './api.js';

/** Posts a record of the device, searches for it and makes a hook; gives what was answered. */
export async function useClient(
  baseUrl: string,
  token: string,
  of: { organizationId: string; applicationId: string; serial: string },
) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
  const { organizationId, applicationId, serial } = of;
  const posted = await client.POST('/organizations/{organizationId}/records', {
    params: { path: { organizationId } },
    body: { serial, ts: 1795000000, data: { temperature: 21.5 } },
  });
  const params = { path: { organizationId, applicationId } };
  const found = await client.POST('/applications/{organizationId}/{applicationId}/search', {
    params,
    body: { ts: { gte: 1794999999, lte: 1795000001 }, queries: [{ products: [], size: 5 }] },
  });
  const hook = await client.POST('/applications/{organizationId}/{applicationId}/hooks', {
    params,
    body: { url: 'https://receiver.example/records', authentication: { bearer: { value: '3c9d' } } },
  });
  return {
    accepted: posted.data!.accepted,
    found: found.data!.responses[0]!.hits,
    hookId: hook.data!.id,
  };
}

import { createClient } from './api/client/index.js';
import { applications, createApplicationHook, ingestRecords, search, searchByPost } from './api/index.js';

/** Posts a record of the device, lists, searches in both ways and creates a hook; returns the answers. */
export async function useClient(
  baseUrl: string,
  token: string,
  of: { organizationId: string; applicationId: string; otherId: string; serial: string },
) {
  const client = createClient({ baseUrl, auth: token, throwOnError: true });
  const { organizationId, applicationId, otherId, serial } = of;
  const posted = await ingestRecords({
    client,
    throwOnError: true,
    path: { organizationId },
    body: { serial, ts: 1795000000, data: { temperature: 21.5 } },
  });
  const listed = await applications({
    client,
    throwOnError: true,
    path: { organizationId },
    query: { ids: [applicationId, otherId], sort: 'name' },
  });
  const ofApplication = { client, throwOnError: true, path: { organizationId, applicationId } } as const;
  const body = { ts: { gte: 1794999999, lte: 1795000001 }, queries: [{ products: [], size: 5 }] };
  const found = await searchByPost({ ...ofApplication, body });
  const foundByGet = await search({
    ...ofApplication,
    query: { ts: JSON.stringify(body.ts), queries: JSON.stringify(body.queries) },
  });
  const hook = await createApplicationHook({
    ...ofApplication,
    body: { url: 'https://receiver.example/records', authentication: { bearer: { value: '3c9d' } } },
  });
  return {
    accepted: posted.data.accepted,
    listed: listed.data.map(({ name }) => name),
    found: found.data.responses[0]!.hits,
    foundByGet: foundByGet.data.responses[0]!.hits,
    hookId: hook.data.id,
  };
}

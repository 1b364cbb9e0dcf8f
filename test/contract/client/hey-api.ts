import { createClient } from './api/client/index.js';
import { createApplicationHook, ingestRecords, searchByPost } from './api/index.js';

/** Posts a record of the device, searches for it and makes a hook; gives what was answered. */
export async function useClient(
  baseUrl: string,
  token: string,
  of: { organizationId: string; applicationId: string; serial: string },
) {
  const client = createClient({ baseUrl, auth: token, throwOnError: true });
  const { organizationId, applicationId, serial } = of;
  const posted = await ingestRecords({
    client,
    throwOnError: true,
    path: { organizationId },
    body: { serial, ts: 1795000000, data: { temperature: 21.5 } },
  });
  const ofApplication = { client, throwOnError: true, path: { organizationId, applicationId } } as const;
  const found = await searchByPost({
    ...ofApplication,
    body: { ts: { gte: 1794999999, lte: 1795000001 }, queries: [{ products: [], size: 5 }] },
  });
  const hook = await createApplicationHook({
    ...ofApplication,
    body: { url: 'https://receiver.example/records', authentication: { bearer: { value: '3c9d' } } },
  });
  return {
    accepted: posted.data.accepted,
    found: found.data.responses[0]!.hits,
    hookId: hook.data.id,
  };
}

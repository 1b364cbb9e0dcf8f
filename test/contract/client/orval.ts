import { createApplicationHook, ingestRecords, searchByPost } from './api.js';

/** Posts a record of the device, searches for it and makes a hook; gives what was answered. */
export async function useClient(
  baseUrl: string,
  token: string,
  of: { organizationId: string; applicationId: string; serial: string },
) {
  const { organizationId, applicationId, serial } = of;
  const service = { baseUrl, token };
  const record = { serial, ts: 1795000000, data: { temperature: 21.5 } };
  const posted = await ingestRecords(organizationId, record, undefined, service);
  const search = { ts: { gte: 1794999999, lte: 1795000001 }, queries: [{ products: [], size: 5 }] };
  const found = await searchByPost(organizationId, applicationId, search, service);
  const newHook = { url: 'https://receiver.example/records', authentication: { bearer: { value: '3c9d' } } };
  const hook = await createApplicationHook(organizationId, applicationId, newHook, service);
  return {
    accepted: posted.accepted,
    found: found.responses[0]!.hits,
    hookId: hook.id,
  };
}

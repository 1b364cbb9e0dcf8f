import { applications, createApplicationHook, ingestRecords, search, searchByPost } from './api.js';

/** Posts a record of the device, lists, searches in both ways and creates a hook; returns the answers. */
export async function useClient(
  _baseUrl: string,
  token: string,
  of: { organizationId: string; applicationId: string; otherId: string; serial: string },
) {
  const { organizationId, applicationId, otherId, serial } = of;
  const withToken = { headers: { Authorization: `Bearer ${token}` } };
  const record = { serial, ts: 1795000000, data: { temperature: 21.5 } };
  // Records may also be sent as NDJSON, and orval's client sets no content type when there are several.
  const asJson = { headers: { ...withToken.headers, 'Content-Type': 'application/json' } };
  const posted = await ingestRecords(organizationId, record, undefined, asJson);
  const listed = await applications(organizationId, { ids: [applicationId, otherId], sort: 'name' }, withToken);
  const body = { ts: { gte: 1794999999, lte: 1795000001 }, queries: [{ products: [], size: 5 }] };
  const found = await searchByPost(organizationId, applicationId, body, withToken);
  const query = { ts: JSON.stringify(body.ts), queries: JSON.stringify(body.queries) };
  const foundByGet = await search(organizationId, applicationId, query, withToken);
  const newHook = { url: 'https://receiver.example/records', authentication: { bearer: { value: '3c9d' } } };
  const hook = await createApplicationHook(organizationId, applicationId, newHook, withToken);
  if (posted.status !== 200 || listed.status !== 200 || found.status !== 200) throw new Error('was refused');
  if (foundByGet.status !== 200 || hook.status !== 200) throw new Error('was refused');
  return {
    accepted: posted.data.accepted,
    listed: listed.data.map(({ name }) => name),
    found: found.data.responses[0]!.hits,
    foundByGet: foundByGet.data.responses[0]!.hits,
    hookId: hook.data.id,
  };
}

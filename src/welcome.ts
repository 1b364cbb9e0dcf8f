import type { FirstOrganization } from './operator/first-organization.js';

/** What is said once, on the first start: the token, and three calls to paste. */
export function welcome(url: string, { id, token, serial, applicationId }: FirstOrganization): string {
  const base = `${url}/ddp/v1`;
  const json = `-H 'Content-Type: application/json'`;
  const auth = `-H 'Authorization: Bearer ${token}'`;
  const record = JSON.stringify({ serial, data: { temperature: 21.5 } });
  const search = JSON.stringify({ ts: { gte: 0, lte: 4_102_444_800 }, queries: [{ products: [] }] });
  return `
Welcome. There was no organization yet, so here is one to try things with.

  organization  demo (${id})
  token         ${token}   (shown this once; more: npm run -s ddp -- token create --help)

List its products, post a record of its device, search it:

curl -s ${auth} ${base}/organizations/${id}/products

curl -s ${auth} ${json} -d '${record}' ${base}/organizations/${id}/records

curl -s ${auth} ${json} -d '${search}' ${base}/applications/${id}/${applicationId}/search

`;
}

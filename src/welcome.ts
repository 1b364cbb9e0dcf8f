import type { FirstOrganization } from './operator/first-organization.js';

/** Printed once, on the first start: the token, the addresses to open, and commands to paste. */
export function welcome(url: string, { id, token, serial, applicationId }: FirstOrganization): string {
  const json = `-H 'Content-Type: application/json'`;
  const auth = `-H "Authorization: Bearer $TOKEN"`;
  const record = JSON.stringify({ serial, data: { temperature: 21.5 } });
  const search = JSON.stringify({ ts: { gte: 0, lte: 4_102_444_800 }, queries: [{ products: [] }] });
  return `
Welcome. There was no organization yet, so here is one to try things with.

  organization  demo (${id})
  token         ${token}   (shown this once; more: npm run -s ddp -- token create --help)

  console       ${url}/console/#token=${token}
  GraphQL       ${url}/graphql
  REST          ${url}/ddp/v1/docs

For the commands here and in the guides (docs/), paste into a shell:

export ORIGIN=${url} TOKEN=${token} ORGANIZATION=${id} APPLICATION=${applicationId}

Post a record of its device, then search it:

curl -s ${auth} ${json} -d '${record}' $ORIGIN/ddp/v1/organizations/$ORGANIZATION/records

curl -s ${auth} ${json} -d '${search}' $ORIGIN/ddp/v1/applications/$ORGANIZATION/$APPLICATION/search

`;
}

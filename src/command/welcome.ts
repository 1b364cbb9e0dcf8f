import type { FirstOrganization, NamedOrganization } from '#operator/first-organization.js';

/** Returns the text printed once, at the first start: the token, the addresses to open and commands to paste. */
export function welcome(url: string, { id, token, serial, applicationId, users }: FirstOrganization): string {
  const json = `-H 'Content-Type: application/json'`;
  const auth = `-H "Authorization: Bearer $TOKEN"`;
  const record = JSON.stringify({ serial, data: { temperature: 21.5 } });
  const search = JSON.stringify({ ts: { gte: 0, lte: 4_102_444_800 }, queries: [{ products: [] }] });
  return `
Welcome. There was no organization yet, so here is one to try things with.

  organization  demo (${id})
  token         ${token}   (shown only once)

  console       ${url}/console/#token=${token}
  GraphQL       ${url}/graphql
  REST          ${url}/ddp/v1/docs

For the commands here and in the guides (docs/), paste into a shell:

export ORIGIN=${url} TOKEN=${token} ORGANIZATION=${id} APPLICATION=${applicationId}

Post a record of its device, then search it:

curl -s ${auth} ${json} -d '${record}' $ORIGIN/ddp/v1/organizations/$ORGANIZATION/records

curl -s ${auth} ${json} -d '${search}' $ORIGIN/ddp/v1/applications/$ORGANIZATION/$APPLICATION/search
${membersOf(users, `${auth} ${json}`)}
More tokens and users:

npm run -s ddp -- token create --organization ${id}
npm run -s ddp -- user create --username NAME --email ADDRESS

`;
}

/** Returns the text printed at every later start: the address of the console, and how to create a token for it. */
export const greeting = (url: string, organization: NamedOrganization | undefined): string => `
  console       ${url}/console/
  a token       ${organization ? `npm run -s ddp -- token create --organization ${organization.id}   (${organization.username})` : 'npm run -s ddp -- organization create --username NAME --email ADDRESS'}

`;

const membersOf = ([, user]: readonly string[], headers: string): string =>
  user === undefined
    ? ''
    : `
Two users are there: demo-ada, an owner of the organization, and demo-grace, who becomes a member by

curl -s -X PUT ${headers} -d '{"role":"member"}' $ORIGIN/ddp/v1/organizations/$ORGANIZATION/members/${user}
`;

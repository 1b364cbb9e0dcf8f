import type { GraphOperation } from './client.js';
import type { Token } from './names.js';
import type { Step } from './plan.js';
import { secondOf, type ThingKind } from './resolve.js';

/** Returns the operation that removes the stored thing of a step. */
export function removalOf({ kind, token, parent }: Step, organizationId: string): GraphOperation {
  const [name, named] = removals[kind as keyof typeof removals]({
    token,
    parent: parent?.token ?? '',
    second: secondOf({ token }),
  });
  const declared = Object.keys(named).map((each) => `, $${each}: ID!`);
  const passed = Object.keys(named).map((each) => `, ${each}: $${each}`);
  const query = `mutation ($o: ID!${declared.join('')}) { ${name}(organizationId: $o${passed.join('')}) { __typename } }`;
  return { query, variables: { o: organizationId, ...named } };
}

interface Removed {
  token: Token;
  parent: Token;
  /** The thing that a member, grant or link joins to its parent. */
  second: Token;
}

type Removal = (removed: Removed) => [name: string, variables: Readonly<Record<string, string>>];

const removals: Readonly<Record<Exclude<ThingKind, 'dashboard'>, Removal>> = {
  product: ({ token }) => ['deleteProduct', { productId: token }],
  application: ({ token }) => ['deleteApplication', { applicationId: token }],
  hook: ({ token, parent }) => ['deleteApplicationHook', { applicationId: parent, applicationHookId: token }],
  rule: ({ token, parent }) => ['deleteAlertRule', { applicationId: parent, alertRuleId: token }],
  site: ({ token }) => ['deleteSite', { siteId: token }],
  team: ({ token }) => ['deleteTeam', { teamId: token }],
  member: ({ parent, second }) => ['removeTeamMember', { teamId: parent, memberId: second }],
  grant: ({ parent, second }) => ['removeTeamApplication', { teamId: parent, applicationId: second }],
  device: ({ token }) => ['deleteDevice', { deviceId: token }],
  link: ({ parent, second }) => ['removeApplicationDevice', { deviceId: parent, applicationId: second }],
};

const below: ReadonlySet<ThingKind> = new Set(['hook', 'rule', 'member', 'grant', 'link']);

/**
 * Whether a put that failed stops a removal. What failed may have been to replace what is removed.
 * @param going tokens of the devices that are removed; their links stay as long as they do
 */
export function isStopped(removal: Step, failed: Step, going: ReadonlySet<Token>): boolean {
  const { kind, parent } = removal;
  if (!below.has(kind) || (kind === 'link' && going.has(parent!.token))) return true;
  return failed.token === parent!.token || (failed.kind === kind && failed.parent?.token === parent!.token);
}

import { idIn, type Known } from './known.js';
import type { Kind, Step } from './plan.js';

/** An operation of the graph with its variables. */
interface Operation {
  query: string;
  variables: object;
}

/** Returns the operation that removes the thing of a step. */
export function removalOf(
  { kind, key, parent = '' }: Step & { kind: Exclude<Kind, 'dashboard'> },
  known: Known,
  organizationId: string,
): Operation {
  const { applications, hooks, products, teams, users } = known;
  const remove = (name: string, variables: Readonly<Record<string, string | readonly string[]>>): Operation => {
    const named = Object.entries(variables);
    const typeOf = (value: unknown) => (typeof value === 'string' ? 'ID!' : '[Serial!]');
    const declared = named.map(([each, value]) => `, $${each}: ${typeOf(value)}`).join('');
    const passed = named.map(([each]) => `, ${each}: $${each}`).join('');
    const query = `mutation ($o: ID!${declared}) { ${name}(organizationId: $o${passed}) { __typename } }`;
    return { query, variables: { o: organizationId, ...variables } };
  };
  switch (kind) {
    case 'link':
      return remove('unlinkDevices', { applicationId: idIn(applications, key), serials: [parent] });
    case 'device':
      return remove('deleteDevices', { serials: [key] });
    case 'grant':
      return remove('removeTeamApplication', {
        teamId: idIn(teams, parent),
        applicationId: idIn(applications, key),
      });
    case 'member':
      return remove('removeTeamMember', { teamId: idIn(teams, parent), memberId: idIn(users, key) });
    case 'hook':
      return remove('deleteApplicationHook', {
        applicationId: idIn(applications, parent),
        applicationHookId: idIn(hooks, key),
      });
    case 'team':
      return remove('deleteTeam', { teamId: idIn(teams, key) });
    case 'application':
      return remove('deleteApplication', { applicationId: idIn(applications, key) });
    case 'product':
      return remove('deleteProduct', { productId: idIn(products, key) });
  }
}

import type { ApplicationQuery, Permission } from '../../api/documents.js';
import type { LoadedParts } from '../../api/use-query.js';
import { Section } from '../../components/page.js';
import { Empty, Part } from '../../components/state.js';
import { TableFrame } from '../../components/table-frame.js';
import { accessOf, cutOf } from '../../format/value.js';

type Grants = NonNullable<ApplicationQuery['application']>['grants'];
type Owners = NonNullable<ApplicationQuery['organizationMembers']>;

interface Seer {
  readonly id: string;
  readonly username: string;
  readonly may: Permission;
  readonly why: readonly string[];
}

/**
 * Lists the accounts that may read an application, with the reason: owners of the organization, and members of teams
 * that have a grant.
 */
export const WhoMaySee = ({ grants, of }: { grants: Grants; of: LoadedParts<ApplicationQuery> }) => (
  <Section title="Who may see this, and why">
    <Part of={of} name="organizationMembers">
      {(owners) => {
        const seers = seersOf(grants, owners);
        return seers.length === 0 ? (
          <Empty title="The organization's own tokens alone">
            <p>
              Owners see every application, members those of their teams: add people and teams under{' '}
              <a href="/console/people">People</a>.
            </p>
          </Empty>
        ) : (
          <Seers of={seers} cuts={cutsOf(grants, owners)} />
        );
      }}
    </Part>
  </Section>
);

const Seers = ({ of, cuts }: { of: readonly Seer[]; cuts: readonly string[] }) => (
  <>
    <p class="quiet">The organization's own tokens, and:</p>
    <TableFrame label="Who may see this, and why">
      <table aria-label="Who may see this, and why">
        <thead>
          <tr>
            <th>Who</th>
            <th>May</th>
            <th>Why</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ id, username, may, why }) => (
            <tr key={id}>
              <td>{username}</td>
              <td>{accessOf(may)}</td>
              <td>{why.join('; ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
    {cuts.length > 0 && <p class="quiet">The table has {cuts.join(', ')}.</p>}
  </>
);

/** Says which lists are not complete. */
const cutsOf = (grants: Grants, owners: Owners): string[] =>
  [
    cutOf(owners, 'owners'),
    cutOf(grants, 'teams'),
    ...grants.items.map(({ team }) => cutOf(team.members, `members of team ${team.name}`)),
  ].filter((cut) => cut !== undefined);

const seersOf = (grants: Grants, owners: Owners): Seer[] => {
  const seers = new Map<string, Seer>();
  const add = (id: string, username: string, may: Permission, reason: string) => {
    const before = seers.get(id);
    seers.set(id, {
      id,
      username,
      may: before?.may === 'write' ? 'write' : may,
      why: [...(before?.why ?? []), reason],
    });
  };
  for (const { id, username } of owners.items) add(id, username, 'write', 'owner of the organization');
  for (const { permission, team } of grants.items)
    for (const { id, username } of team.members.items)
      add(id, username, permission, `team ${team.name} (${accessOf(permission)})`);
  return [...seers.values()];
};

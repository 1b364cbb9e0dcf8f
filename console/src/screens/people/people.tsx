import { useState } from 'preact/hooks';
import { PeopleDocument, type PeopleQuery } from '../../api/documents.js';
import { isOwner, mayOwn, organizationId } from '../../api/session.js';
import { type Loaded, useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { useListView } from '../../components/list-view.js';
import { NameFilter } from '../../components/name-filter.js';
import { Page, Section } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { accessOf } from '../../format/value.js';
import { type InvitationLink, Invitations, Invite, MemberSessions } from './invitations.js';
import { AddMember, Cut, MakeTeam, MemberActions, TeamActions } from './people-actions.js';
import type { Applications, Member, Team } from './people-types.js';

const limit = 25;

/** The organization's members and teams, and the applications that they may read. */
export function PeopleScreen() {
  const address = useAddress();
  const people = useQuery(PeopleDocument, {
    organizationId: organizationId.value,
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || 'username',
    q: address.get('q') || null,
    owns: mayOwn.value,
  });
  const { reload } = people;
  const [link, setLink] = useState<InvitationLink | undefined>();
  const invited = (made: InvitationLink) => {
    setLink(made);
    reload();
  };
  return (
    <Page
      title="People"
      actions={
        mayOwn.value && (
          <>
            <Invite teams={people.data?.teams?.items ?? []} invited={invited} />
            <AddMember reload={reload} />
            <MakeTeam reload={reload} />
          </>
        )
      }
    >
      <Loading of={people} rows={20}>
        {({ organizationMembers, teams, applications, invitations, sessions }) => (
          <>
            <Members people={people} teams={teams.items} of={organizationMembers} />
            <Section title="Teams">
              {teams.items.length === 0 ? (
                <Empty title="No team yet">
                  <p>A team is given applications; its members may see or change these. Owners see everything.</p>
                </Empty>
              ) : (
                <Table label="Teams" columns={teamColumns(applications, reload)} rows={teams.items} address={address} />
              )}
              <Cut of={teams} nouns="teams" />
            </Section>
            {invitations && <Invitations items={invitations.items} link={link} invited={invited} reload={reload} />}
            {sessions && <MemberSessions items={sessions.items} reload={reload} />}
          </>
        )}
      </Loading>
    </Page>
  );
}

/** The members in pages. Their filter, order and columns can be saved as a view. */
function Members({
  people,
  teams,
  of: { items, totalCount },
}: {
  people: Loaded<PeopleQuery>;
  teams: readonly Team[];
  of: NonNullable<PeopleQuery['organizationMembers']>;
}) {
  const address = useAddress();
  const view = useListView('members', memberColumns(teams, people.reload));
  return (
    <Section title="Members">
      <div class="filters">
        <NameFilter address={address} />
        {view.menus}
      </div>
      {items.length === 0 ? (
        <Empty title={address.get('q') ? 'No member matches' : 'No member yet'}>
          <p>The organization acts by its own tokens. Members are users of the platform with a role in it.</p>
        </Empty>
      ) : (
        <Table label="Members" columns={view.columns} rows={items} address={address} busy={people.loading} />
      )}
      <Pager address={address} limit={limit} total={totalCount} />
    </Section>
  );
}

/** A name. For owners it comes with a link to the history of the team or member. */
const WithHistory = ({ name, of }: { name: string; of: string }) => (
  <>
    <span class="name">{name}</span>
    {isOwner.value && (
      <span class="below">
        <a class="quiet" href={`/console/audit?${of}`}>
          History
        </a>
      </span>
    )}
  </>
);

const memberColumns = (teams: readonly Team[], reload: () => void): readonly Column<Member>[] => [
  {
    title: 'Member',
    sort: 'username',
    cell: ({ id, username }) => <WithHistory name={username} of={`actor=${id}`} />,
  },
  { title: 'Name', sort: 'name', cell: ({ name }) => name },
  { title: 'Role', cell: ({ role }) => role },
  {
    title: 'Sees',
    cell: ({ role, teams: mine }) =>
      role === 'owner' ? 'everything, as an owner' : mine.items.length === 0 ? 'no application' : whyOf(mine, teams),
  },
  ...(mayOwn.value
    ? [
        {
          title: 'Change',
          cell: (member: Member) => <MemberActions member={member} teams={teams} reload={reload} />,
        },
      ]
    : []),
];

/** Joins texts of the items of a page. An ellipsis stands for items of its other pages. */
const listed = <Item,>(
  { items, totalCount }: { items: readonly Item[]; totalCount: number | null },
  textOf: (item: Item) => string,
): string => items.map(textOf).join(', ') + ((totalCount ?? 0) > items.length ? ', …' : '');

const grantsOf = ({ grants }: Team): string =>
  listed(grants, ({ application, permission }) => `${application.name} (${accessOf(permission)})`);

/** Lists the applications that a member may read, each with the team that grants it. */
const whyOf = (mine: Member['teams'], teams: readonly Team[]) => (
  <>
    <ul class="lines">
      {mine.items.map(({ id, name }) => {
        const team = teams.find((one) => one.id === id);
        return (
          <li key={id}>
            {team === undefined ? '…' : grantsOf(team) || 'nothing'} <span class="quiet">by team {name}</span>
          </li>
        );
      })}
    </ul>
    <Cut of={mine} nouns="teams" />
  </>
);

const teamColumns = (applications: Applications, reload: () => void): readonly Column<Team>[] => [
  { title: 'Team', cell: ({ id, name }) => <WithHistory name={name} of={`target=${id}`} /> },
  { title: 'Description', cell: ({ description }) => description },
  { title: 'Members', cell: ({ members }) => listed(members, ({ username }) => username) },
  { title: 'Applications', cell: grantsOf },
  ...(mayOwn.value
    ? [
        {
          title: 'Change',
          cell: (team: Team) => <TeamActions team={team} applications={applications} reload={reload} />,
        },
      ]
    : []),
];

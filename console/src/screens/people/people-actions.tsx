import {
  AddTeamMemberDocument,
  CreateTeamDocument,
  DeleteTeamDocument,
  FindUserDocument,
  GrantApplicationDocument,
  type Permission,
  RemoveMemberDocument,
  RemoveTeamMemberDocument,
  RevokeApplicationDocument,
  type Role,
  SetMemberDocument,
} from '../../api/documents.js';
import { ask, GraphError } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { escaped } from '../../format/pattern.js';
import { cutOf } from '../../format/value.js';
import type { Applications, Member, Team } from './people-types.js';

const organization = () => ({ organizationId: organizationId.value });

/** Says that only the first things by name are shown; nothing when all of them are. */
export const Cut = ({ of, nouns }: { of: Parameters<typeof cutOf>[0]; nouns: string }) => {
  const cut = cutOf(of, nouns);
  return cut === undefined ? null : <p class="quiet">Sorted by name, these are {cut}.</p>;
};

/** Chooses a role. */
export const RoleField = ({ role }: { role: Role }) => (
  <Field label="Role" hint="Owners change everything; members see what their teams are given.">
    <select name="role">
      {(['member', 'owner'] as const).map((one) => (
        <option key={one} selected={one === role}>
          {one}
        </option>
      ))}
    </select>
  </Field>
);

/** Chooses teams. */
export const TeamFields = ({
  teams,
  isIn = () => false,
}: {
  teams: readonly Team[];
  /** Whether a team is chosen at first. */
  isIn?: (teamId: string) => boolean;
}) => (
  <fieldset>
    <legend>Teams</legend>
    {teams.map(({ id, name }) => (
      <label class="check" key={id}>
        <input type="checkbox" name="team" value={id} defaultChecked={isIn(id)} /> {name}
      </label>
    ))}
    {teams.length === 0 && <p class="quiet">There is no team yet.</p>}
  </fieldset>
);

/** Adds a user of the platform, found by user name. */
export const AddMember = ({ reload }: { reload: () => void }) => (
  <Action
    label="Add a member"
    action="Add"
    submit={async (form) => {
      const username = textOf(form, 'username');
      const { accounts } = await ask(FindUserDocument, { q: `^${escaped(username)}$` });
      const user = accounts.items.find((one) => one.username === username);
      if (user === undefined) throw new GraphError(`There is no user ${username}.`, 'NOT_FOUND', undefined);
      await ask(SetMemberDocument, { ...organization(), memberId: user.id, role: textOf(form, 'role') as Role });
      reload();
    }}
  >
    <Field label="User name" hint="Of a user of the platform; the operator of the service makes users.">
      <input name="username" required spellcheck={false} autocomplete="off" />
    </Field>
    <RoleField role="member" />
  </Action>
);

export const MakeTeam = ({ reload }: { reload: () => void }) => (
  <Action
    label="Create a team"
    action="Create"
    submit={async (form) => {
      const description = textOf(form, 'description') || null;
      await ask(CreateTeamDocument, { ...organization(), name: textOf(form, 'name'), description });
      reload();
    }}
  >
    <Field label="Name">
      <input name="name" required maxLength={200} />
    </Field>
    <Field label="Description">
      <textarea name="description" rows={3} />
    </Field>
  </Action>
);

/** Changes a member's role and teams, or removes the member. */
export const MemberActions = ({
  member: { id, username, role, teams: mine },
  teams,
  reload,
}: {
  member: Member;
  teams: readonly Team[];
  reload: () => void;
}) => {
  const names = { ...organization(), memberId: id };
  const isIn = (teamId: string) => mine.items.some((team) => team.id === teamId);
  const save = async (form: FormData) => {
    const chosen = new Set(form.getAll('team').map(String));
    await ask(SetMemberDocument, { ...names, role: textOf(form, 'role') as Role });
    for (const { id: teamId } of teams) {
      if (chosen.has(teamId) === isIn(teamId)) continue;
      if (isIn(teamId)) await ask(RemoveTeamMemberDocument, { ...names, teamId });
      else await ask(AddTeamMemberDocument, { ...names, teamId });
    }
    reload();
  };
  return (
    <div class="actions">
      <Action label="Edit" title={`Edit ${username}`} action="Save" submit={save}>
        <RoleField role={role ?? 'member'} />
        <TeamFields teams={teams} isIn={isIn} />
      </Action>
      <Action
        label="Remove"
        title={`Remove ${username}`}
        action="Remove"
        danger
        submit={async () => {
          await ask(RemoveMemberDocument, names);
          reload();
        }}
      >
        <p>The member leaves the organization and all its teams, and its tokens here end.</p>
      </Action>
    </div>
  );
};

/** Changes the applications that a team may read or write, or deletes the team. */
export const TeamActions = ({
  team: { id: teamId, name, grants },
  applications,
  reload,
}: {
  team: Team;
  applications: Applications;
  reload: () => void;
}) => {
  const names = { ...organization(), teamId };
  const now = new Map(grants.items.map(({ application, permission }) => [application.id, permission]));
  const save = async (form: FormData) => {
    for (const { id: applicationId } of applications.items) {
      const permission = textOf(form, applicationId);
      if (permission === (now.get(applicationId) ?? '')) continue;
      if (permission === '') await ask(RevokeApplicationDocument, { ...names, applicationId });
      else await ask(GrantApplicationDocument, { ...names, applicationId, permission: permission as Permission });
    }
    reload();
  };
  return (
    <div class="actions">
      <Action label="Applications" title={`What ${name} may see`} action="Save" submit={save}>
        {applications.items.map((application) => (
          <Field key={application.id} label={application.name}>
            <select name={application.id}>
              {['', 'read', 'write'].map((permission) => (
                <option key={permission} value={permission} selected={permission === (now.get(application.id) ?? '')}>
                  {permission || 'nothing'}
                </option>
              ))}
            </select>
          </Field>
        ))}
        {applications.items.length === 0 && <p class="quiet">There is no application yet.</p>}
        <Cut of={applications} nouns="applications" />
      </Action>
      <Action
        label="Delete"
        title={`Delete ${name}`}
        action="Delete"
        danger
        submit={async () => {
          await ask(DeleteTeamDocument, names);
          reload();
        }}
      >
        <p>Its members stay in the organization, without what the team gave them.</p>
      </Action>
    </div>
  );
};

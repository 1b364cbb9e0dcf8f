import {
  CreateInvitationDocument,
  type InvitationMail,
  type PeopleQuery,
  ResendInvitationDocument,
  RevokeInvitationDocument,
  RevokeSessionDocument,
  type Role,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { useAddress } from '../../browser/address.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Copyable } from '../../components/copy.js';
import { Field } from '../../components/dialog.js';
import { Section } from '../../components/page.js';
import { Empty } from '../../components/state.js';
import { Table } from '../../components/table.js';
import { formatTime, secondsOf } from '../../format/time.js';
import { sessionColumns } from '../sessions.js';
import { RoleField, TeamFields } from './people-actions.js';
import type { Team } from './people-types.js';

const organization = () => ({ organizationId: organizationId.value });

/** Link of an invitation. */
export interface InvitationLink {
  url: string;
  mail: InvitationMail;
}

/** Outcomes of the e-mail with a link, in words. */
const mailed: Readonly<Record<InvitationMail, string>> = {
  sent: 'It was sent by e-mail, too.',
  off: 'Hand it to the person: this service sends no e-mail.',
  limited: 'Hand it to the person: no more e-mail may be sent for now.',
  failed: 'Hand it to the person: the mail server did not take the e-mail.',
};

/** Invites a person. `invited` takes the link, which is shown once. */
export function Invite({ teams, invited }: { teams: readonly Team[]; invited: (link: InvitationLink) => void }) {
  const invite = async (form: FormData) => {
    const email = textOf(form, 'email');
    const teamIds = form.getAll('team').map(String);
    const role = textOf(form, 'role') as Role;
    invited((await ask(CreateInvitationDocument, { ...organization(), email, role, teamIds })).createInvitation);
  };
  return (
    <Action label="Invite a person" action="Invite" primary submit={invite}>
      <Field label="E-mail address">
        <input name="email" type="email" required autocomplete="off" />
      </Field>
      <RoleField role="member" />
      <TeamFields teams={teams} />
    </Action>
  );
}

/** The invitations of the organization, which owners renew and revoke. `link` is that of the latest. */
export function Invitations({
  items,
  link,
  invited,
  reload,
}: {
  items: NonNullable<PeopleQuery['invitations']>['items'];
  link: InvitationLink | undefined;
  invited: (link: InvitationLink) => void;
  reload: () => void;
}) {
  const address = useAddress();
  const resend = (invitationId: string) => async () => {
    invited((await ask(ResendInvitationDocument, { ...organization(), invitationId })).resendInvitation);
  };
  const revoke = (invitationId: string) => async () => {
    await ask(RevokeInvitationDocument, { ...organization(), invitationId });
    reload();
  };
  return (
    <Section title="Invitations">
      {link && (
        <div role="status">
          <p>The link of the invitation. It is shown only once. {mailed[link.mail]}</p>
          <Copyable label="The link of the invitation" text={link.url} />
        </div>
      )}
      {items.length === 0 ? (
        <Empty title="No open invitation">
          <p>Whoever opens the link of an invitation within 7 days and signs in becomes a member.</p>
        </Empty>
      ) : (
        <Table
          label="Invitations"
          columns={[
            { title: 'Address', cell: ({ email }) => email },
            { title: 'Role', cell: ({ role }) => role },
            { title: 'Ends', cell: ({ expiresAt }) => formatTime(secondsOf(expiresAt)) },
            {
              title: 'Change',
              cell: ({ id, email }) => (
                <div class="actions">
                  <Action label="New link" title={`Invite ${email} again`} submit={resend(id)}>
                    <p>The invitation gets a new link. The earlier link stops working.</p>
                  </Action>
                  <Action label="Revoke" title={`Revoke the invitation of ${email}`} danger submit={revoke(id)}>
                    <p>Its link stops working.</p>
                  </Action>
                </div>
              ),
            },
          ]}
          rows={items}
          address={address}
        />
      )}
    </Section>
  );
}

/** Sessions of members that act in the organization. */
export function MemberSessions({
  items,
  reload,
}: {
  items: NonNullable<PeopleQuery['sessions']>['items'];
  reload: () => void;
}) {
  const address = useAddress();
  const revoke = (sessionId: string) => async () => {
    await ask(RevokeSessionDocument, { ...organization(), sessionId });
    reload();
  };
  if (items.length === 0) return null;
  return (
    <Section title="Sessions of members">
      <Table
        label="Sessions of members"
        columns={[
          { title: 'Member', cell: ({ user }) => user.username },
          ...sessionColumns.map(({ sort: _, ...column }) => column),
          {
            title: 'Change',
            cell: ({ id, user }) => (
              <Action label="End" title={`End a session of ${user.username}`} danger submit={revoke(id)}>
                <p>The browser is signed out of this organization and of all others.</p>
              </Action>
            ),
          },
        ]}
        rows={items}
        address={address}
      />
    </Section>
  );
}

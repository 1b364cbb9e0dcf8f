import { ArgsType, Field } from 'type-graphql';
import { Role } from '#entities/enums.js';
import { email, id, ids } from '#schema/fields.js';
import { OrganizationArgs } from '#schema/organization.args.js';

/** Names a session that acts in an organization. */
@ArgsType()
export class SessionArgs extends OrganizationArgs {
  @id('Identifier of the session.') sessionId!: string;
}

/** Names sessions of the caller. */
@ArgsType()
export class SessionsArgs {
  @ids('Identifiers of the sessions.') sessionIds?: string[] | null;
}

/** A new invitation. */
@ArgsType()
export class CreateInvitationArgs extends OrganizationArgs {
  @email() email!: string;
  @Field(() => Role, { defaultValue: Role.member, description: 'Role of the person who accepts.' })
  role: Role = Role.member;
  @ids('Teams that the person who accepts becomes a member of.') teamIds?: string[] | null;
}

/** Names an invitation. */
@ArgsType()
export class InvitationArgs extends OrganizationArgs {
  @id('Identifier of the invitation.') invitationId!: string;
}

import { ArgsType, Field } from 'type-graphql';
import { Role } from '#entities/enums.js';
import { choice, email, id, ids, label, name, username } from '#schema/fields.js';
import { SearchablePageArgs } from '#schema/list.args.js';
import { OrganizationArgs, OrganizationListArgs } from '#schema/organization.args.js';

/** New values of the caller's account (`PUT /account`). */
@ArgsType()
export class UpdateAccountArgs {
  @email() email!: string;
  @username() username!: string;
  @name('Display name.', { optional: true }) name?: string | null;
}

/** Arguments of the list of users (`GET /accounts`). */
@ArgsType()
export class AccountsArgs extends SearchablePageArgs {
  @ids('Only these accounts.') ids?: string[] | null;
}

/** New values of an organization (`PUT /organizations/:organizationId`). */
@ArgsType()
export class UpdateOrganizationArgs extends UpdateAccountArgs {
  @id('Identifier of the organization.') organizationId!: string;
}

/** The time zone of an organization. */
@ArgsType()
export class SetOrganizationTimeZoneArgs extends OrganizationArgs {
  @label('Time zone, such as `Europe/Berlin` or `+01:00`.', 100) timeZone!: string;
}

/** Arguments of the list of members. */
@ArgsType()
export class OrganizationMembersArgs extends OrganizationListArgs {
  @Field(() => Role, { nullable: true, description: 'Only members with this role.' }) role?: Role | null;
}

/** Identifies a user in an organization. */
@ArgsType()
export class OrganizationMemberArgs extends OrganizationArgs {
  @id('Identifier of the user: an account to add, or a member to change.') memberId!: string;
}

/** New values of a member. */
@ArgsType()
export class SetOrganizationMemberArgs extends OrganizationMemberArgs {
  @choice(() => Role, 'Role. Absent: `member` for a new member.', { optional: true }) role?: Role | null;
}

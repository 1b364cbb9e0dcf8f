import { ArgsType, Field } from 'type-graphql';
import { Role } from '../entities/enums.js';
import { choice, email, id, ids, name, username } from './fields.js';
import { SearchablePageArgs } from './list.args.js';

/** The account's own values (`PUT /account`). */
@ArgsType()
export class UpdateAccountArgs {
  @email() email!: string;
  @username() username!: string;
  @name('Display name.', { optional: true }) name?: string | null;
}

/** The list of users (`GET /accounts`). */
@ArgsType()
export class AccountsArgs extends SearchablePageArgs {
  @ids('Only these accounts.') ids?: string[] | null;
}

/** Names an organization. */
@ArgsType()
export class OrganizationArgs {
  @id('Identifier of the organization.') organizationId!: string;
}

/** The organization's own values (`PUT /organizations/:organizationId`). */
@ArgsType()
export class UpdateOrganizationArgs extends UpdateAccountArgs {
  @id('Identifier of the organization.') organizationId!: string;
}

/** A searchable list of what an organization has. */
@ArgsType()
export class OrganizationListArgs extends SearchablePageArgs {
  @id('Identifier of the organization.') organizationId!: string;
}

/** The members of an organization. */
@ArgsType()
export class OrganizationMembersArgs extends OrganizationListArgs {
  @Field(() => Role, { nullable: true, description: 'Only members with this role.' }) role?: Role | null;
}

/** Names a user in an organization. */
@ArgsType()
export class OrganizationMemberArgs extends OrganizationArgs {
  @id('User: from the accounts to add, from the members to change.') memberId!: string;
}

/** A member's place in an organization. */
@ArgsType()
export class SetOrganizationMemberArgs extends OrganizationMemberArgs {
  @choice(() => Role, 'Role; `member` for a new member.', { optional: true }) role?: Role | null;
}

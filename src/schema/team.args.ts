import { ArgsType } from 'type-graphql';
import { Permission } from '#entities/enums.js';
import { OrganizationArgs } from './account.args.js';
import { choice, description, id, name } from './fields.js';
import { PageArgs } from './list.args.js';

/** A new team. */
@ArgsType()
export class CreateTeamArgs extends OrganizationArgs {
  @name('Name.') name!: string;
  @description('Description.') description?: string | null;
}

/** Identifies a team. */
@ArgsType()
export class TeamArgs extends OrganizationArgs {
  @id('Identifier of the team.') teamId!: string;
}

/** New values of a team. */
@ArgsType()
export class UpdateTeamArgs extends CreateTeamArgs {
  @id('Identifier of the team.') teamId!: string;
}

/** Arguments of a list below a team. */
@ArgsType()
export class TeamListArgs extends PageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Identifier of the team.') teamId!: string;
}

/** Identifies a member of a team. */
@ArgsType()
export class TeamMemberArgs extends TeamArgs {
  @id('Member of the organization.') memberId!: string;
}

/** Identifies an application of a team. */
@ArgsType()
export class TeamApplicationArgs extends TeamArgs {
  @id('Application of the organization.') applicationId!: string;
}

/** A team's permission on an application. */
@ArgsType()
export class SetTeamApplicationArgs extends TeamApplicationArgs {
  @choice(() => Permission, 'Permission of the team on the application.') permission!: Permission;
}

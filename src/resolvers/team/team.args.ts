import { ArrayMaxSize } from 'class-validator';
import { ArgsType, Field, InputType } from 'type-graphql';
import { Permission } from '#entities/enums.js';
import { CheckedByItem } from '#schema/arguments.js';
import { choice, description, id, label, name } from '#schema/fields.js';
import { PageArgs } from '#schema/list.args.js';
import { OrganizationArgs } from '#schema/organization.args.js';
import { maxPut, PutArgs } from '#upsert/upsert.args.js';

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

/** A team as a call of many puts it. */
@CheckedByItem()
@InputType({ description: 'A team by its name. A value that is absent stays as it is, null clears it.' })
export class TeamInput {
  @name('Name.') name!: string;
  @id('The team that is to have the name, if it exists already and has another.', { optional: true })
  id?: string | null;
  @description('Description.') description?: string | null;
}

/** Many teams. */
@ArgsType()
export class PutTeamsArgs extends PutArgs {
  @Field(() => [TeamInput], { description: 'The teams, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  teams!: TeamInput[];
}

@CheckedByItem()
@InputType({ description: 'A member of the organization, by one of the two.' })
export class TeamMemberInput {
  @id('Identifier of the member.', { optional: true }) memberId?: string | null;
  @label('Username of the member.', 200, { optional: true }) username?: string | null;
}

/** Many members of a team. */
@ArgsType()
export class PutTeamMembersArgs extends PutArgs {
  @id('Identifier of the team.') teamId!: string;
  @Field(() => [TeamMemberInput], { description: 'The members, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  members!: TeamMemberInput[];
}

@CheckedByItem()
@InputType({
  description:
    'An application, by its identifier or the key under which a tool knows it, and the permission of a team on it.',
})
export class TeamApplicationInput {
  @id('Identifier of the application.', { optional: true }) applicationId?: string | null;
  @label('Key of the application that a tool chose.', 200, { optional: true }) externalId?: string | null;
  @choice(() => Permission, 'Permission of the team on the application.') permission!: Permission;
}

/** Many applications of a team. */
@ArgsType()
export class PutTeamApplicationsArgs extends PutArgs {
  @id('Identifier of the team.') teamId!: string;
  @Field(() => [TeamApplicationInput], { description: 'The applications, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  applications!: TeamApplicationInput[];
}

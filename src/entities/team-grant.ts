import { Field, ObjectType } from 'type-graphql';
import { Permission } from './enums.js';

/** An application that a team gives access to. */
@ObjectType({ description: "An application, a team, and the team's permission on the application." })
export class TeamGrant {
  /** Identifier of the application. */
  id!: string;
  teamId!: string;
  @Field(() => Permission, {
    description: "Permission of the team's members on the application through this team alone.",
  })
  permission!: Permission;
}

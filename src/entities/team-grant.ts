import { Field, ObjectType } from 'type-graphql';
import { Permission } from './enums.js';

/** An application that a team gives access to. */
@ObjectType({ description: 'An application, a team, and what the team may do with it.' })
export class TeamGrant {
  /** Identifier of the application. */
  id!: string;
  teamId!: string;
  @Field(() => Permission, { description: 'What members of the team may do with it, by this team alone.' })
  permission!: Permission;
}

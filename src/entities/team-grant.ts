import { Field, ObjectType } from 'type-graphql';
import { Permission } from './enums.js';

/** An application that a team gives access to. */
@ObjectType({ description: 'An application that a team gives access to.' })
export class TeamGrant {
  /** The application's identifier. */
  id!: string;
  @Field(() => Permission, { description: 'What members of the team may do with it, by this team alone.' })
  permission!: Permission;
}

import { Entity } from '@mikro-orm/decorators/legacy';
import { Field, Int, ObjectType } from 'type-graphql';
import { choice, createdAt, email, flag, identifier, now, text, updatedAt } from './columns.js';
import { AccountType, Role } from './enums.js';
import { Node } from './node.js';

/** A member of a team as the list shows it (contract, section 5). */
@ObjectType({ description: 'A user account, as the members of a team are listed.' })
export class TeamMemberListItem {
  @identifier() id!: string;
  @text('Unique name on the platform, lower-case.') username!: string;
  @choice(() => AccountType, 'Kind of account.') type!: AccountType;
}

/** A user account as other users see it. */
@ObjectType({ description: 'A user account.' })
export class User extends TeamMemberListItem {
  @text('Display name.', { nullable: true }) name?: string | null;
}

/** A user account with its role in the organization. */
@ObjectType({ description: 'A member of an organization.' })
export class OrganizationMember extends User {
  @Field(() => Role, { description: 'Role in the organization.' }) role!: Role;
}

/** What a caller may set on its account. */
export interface AccountChange {
  email: string;
  username: string;
  name?: string | null;
}

/** An account: an organization, which is the tenant, or a user. Usernames and e-mails are unique over both kinds. */
@ObjectType({ description: 'The account of an organization.' })
@Entity()
export class Account extends User {
  @email('E-mail address, unique whatever its case.') email!: string;
  @flag('Whether an operator has disabled the account.') disabled: boolean = false;
  @createdAt() createdAt: string = now();
  @updatedAt() updatedAt: string = now();

  /** Takes the new values; an absent name stays, `null` clears it. */
  change({ email, username, name }: AccountChange): this {
    this.email = email;
    this.username = username.toLowerCase();
    if (name !== undefined) this.name = name;
    return this;
  }
}

/** The organization's account with what its members may know. */
@ObjectType({
  implements: Node,
  description: 'An organization: the tenant that owns teams, products, devices and applications.',
})
export class Organization extends Account {
  @Field(() => Int, { description: 'Number of members.' }) memberCount!: number;
  @Field(() => Role, { description: 'Role of the caller.' }) role!: Role;
}

import { Entity } from '@mikro-orm/decorators/legacy';
import { Field, Int, ObjectType } from 'type-graphql';
import { choice, createdAt, email, flag, GraphOnly, identifier, now, text, updatedAt } from './columns.js';
import { AccountType, Role } from './enums.js';
import { Node } from './node.js';

/** A member of a team, as lists show it (contract, section 5). */
@ObjectType({ description: "A user account, as lists of a team's members show it." })
export class TeamMemberListItem {
  @identifier() id!: string;
  @text('Unique name on the platform, in lower case.') username!: string;
  @choice(() => AccountType, 'Kind of account.') type!: AccountType;
}

/** The fields of an account that others may see. */
@ObjectType()
abstract class PublicAccount extends TeamMemberListItem {
  @text('Display name.', { nullable: true }) name?: string | null;
}

/** A user account as other users see it, with its role if it is a member of the caller's organization. */
@ObjectType({ implements: Node, description: "A user account: a member of the caller's organization or another user." })
export class User extends PublicAccount {
  @Field(() => Role, {
    nullable: true,
    description: "Role in the caller's organization; null for a user who is not a member.",
  })
  @GraphOnly()
  role?: Role | null;
}

/** A member of an organization, as REST shows it (contract, section 5). The graph shows a {@link User}. */
@ObjectType({ description: 'A member of an organization.' })
export class OrganizationMember extends PublicAccount {
  @Field(() => Role, { description: 'Role in the organization.' }) role!: Role;
}

/** New values of an account. */
export interface AccountChange {
  email: string;
  username: string;
  name?: string | null;
}

/**
 * An account: an organization, which is the tenant, or a user. User names and e-mail addresses are unique across both
 * kinds. REST shows organizations in this form too; the graph shows an {@link Organization}.
 */
@ObjectType({ description: 'The account of an organization.' })
@Entity()
export class Account extends PublicAccount {
  @email('E-mail address, unique regardless of case.') email!: string;
  @flag('Whether an operator has disabled the account.') disabled: boolean = false;
  @text('Time zone in which the days of the organization begin, such as `Europe/Berlin`; `UTC` unless set.')
  @GraphOnly()
  timeZone: string = 'UTC';
  @createdAt() createdAt: string = now();
  @updatedAt() updatedAt: string = now();

  /** Applies new values. An absent name stays unchanged; `null` clears it. */
  change({ email, username, name }: AccountChange): this {
    this.email = email;
    this.username = username.toLowerCase();
    if (name !== undefined) this.name = name;
    return this;
  }
}

/** The account of an organization with what its members may see. */
@ObjectType({
  implements: Node,
  description: 'An organization: the tenant that owns teams, products, devices and applications.',
})
export class Organization extends Account {
  @Field(() => Int, { description: 'Number of members.' }) memberCount!: number;
  @Field(() => Role, { description: 'Role of the caller.' }) role!: Role;
}

import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { choice, createdAt, email, identifier, now, reference, timestamp } from './columns.js';
import { Role } from './enums.js';
import { Node } from './node.js';

@ObjectType({ implements: Node, description: 'An invitation to become a member of an organization.' })
@Entity()
export class Invitation {
  @identifier() id!: string;
  @reference('Organization that invites.') organizationId!: string;
  @email('E-mail address that the invitation is for.') email!: string;
  @choice(() => Role, 'Role in the organization of the person who accepts.') role!: Role;
  @Property({ type: 'string[]', columnType: 'uuid[]' })
  @Field(() => [ID], { description: 'Teams that the person who accepts becomes a member of.' })
  teamIds: string[] = [];
  /** The owner who invites; null for a token of the organization. */
  @Property({ type: 'uuid', nullable: true }) createdBy: string | null = null;
  @Property({ type: 'blob', columnType: 'bytea' }) hash!: Buffer;
  @createdAt() createdAt: string = now();
  @timestamp('Time at which the link expires.') expiresAt!: string;
}

/** Result of sending an invitation by e-mail. */
export enum InvitationMail {
  /** The mail server took it. */
  sent = 'sent',
  /** The service sends no e-mail. */
  off = 'off',
  /** The organization has sent its mails of the day, or the address got one within the hour. */
  limited = 'limited',
  /** The mail server refused it. */
  failed = 'failed',
}

registerEnumType(InvitationMail, {
  name: 'InvitationMail',
  description: 'Result of sending an invitation by e-mail.',
  valuesConfig: {
    sent: { description: 'The mail server took it.' },
    off: { description: 'The service sends no e-mail.' },
    limited: { description: 'The organization has sent its mails of the day, or the address got one within the hour.' },
    failed: { description: 'The mail server did not take it.' },
  },
});

/** An invitation with its link, which is shown only when it is made. */
@ObjectType({ description: 'An invitation with its link, which is shown only once.' })
export class NewInvitation {
  @Field(() => String, { description: 'Link to hand to the person: it is never shown again.' }) url!: string;
  @Field(() => InvitationMail, { description: 'Whether the link was sent by e-mail.' }) mail!: InvitationMail;
  @Field(() => Invitation, { description: 'The invitation without its link.' }) invitation!: Invitation;
}

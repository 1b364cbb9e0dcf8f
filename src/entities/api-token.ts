import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { choice, createdAt, identifier, now, reference, text, timestamp } from './columns.js';
import { TokenScope } from './enums.js';
import { Node } from './node.js';

/** An API token. Only its hash is stored: the token is shown once, when it is created. */
@ObjectType({
  implements: Node,
  description: 'A token that callers send. The token itself is shown once, when it is made.',
})
@Entity()
export class ApiToken {
  @identifier() id!: string;
  @reference('Organization it acts for.') organizationId!: string;
  @reference('Member it acts as; without one it acts as the organization itself.', { nullable: true }) userId?:
    | string
    | null;
  @reference('Device whose records it posts, which is all that it may do.', { nullable: true }) deviceId?:
    | string
    | null;
  @reference('Product whose devices register themselves with it, which is all that it may do.', { nullable: true })
  productId?: string | null;
  @text('What it is for.', { nullable: true }) name?: string | null;
  @choice(() => TokenScope, 'What it may do.') scope!: TokenScope;
  @Property({ type: 'blob', columnType: 'bytea' }) hash!: Buffer;
  @text('First characters of the token, to tell tokens apart.') prefix!: string;
  @createdAt() createdAt: string = now();
  @timestamp('When it was last used, to the minute.', { nullable: true }) lastUsedAt?: string | null;
  @timestamp('When it stops to count.', { nullable: true }) expiresAt?: string | null;
  @timestamp('When it was revoked.', { nullable: true }) revokedAt?: string | null;
}

/** A token with its secret, which is shown only at its creation. */
@ObjectType({ description: 'A new token, shown this once.' })
export class NewApiToken {
  @Field(() => String, { description: 'The token: keep it, it is never shown again.' }) token!: string;
  @Field(() => ApiToken, { description: 'What is known of it from now on.' }) apiToken!: ApiToken;
}

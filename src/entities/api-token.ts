import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { choice, createdAt, GraphOnly, identifier, now, reference, text, timestamp } from './columns.js';
import { TokenScope } from './enums.js';
import { Node } from './node.js';

/** An API token. Only its hash is stored: the token is shown once, when it is created. */
@ObjectType({
  implements: Node,
  description: 'An API token. The token itself is shown once, when it is created.',
})
@Entity()
export class ApiToken {
  @identifier() id!: string;
  @reference('Organization that the token acts for.') organizationId!: string;
  @reference('Member that the token acts as; null if it acts as the organization itself.', { nullable: true }) userId?:
    | string
    | null;
  @reference('Device whose records the token may post; it may do nothing else.', { nullable: true }) deviceId?:
    | string
    | null;
  @reference('Product whose devices register themselves with the token; it may do nothing else.', { nullable: true })
  productId?: string | null;
  @reference(
    'For the token of a link to a dashboard: the application of the dashboard. The token may read nothing else.',
    { nullable: true },
  )
  @GraphOnly()
  applicationId?: string | null;
  @text('Purpose of the token.', { nullable: true }) name?: string | null;
  @choice(() => TokenScope, 'Scope of the token.') scope!: TokenScope;
  @Property({ type: 'blob', columnType: 'bytea' }) hash!: Buffer;
  @text('First characters of the token, to tell tokens apart.') prefix!: string;
  @createdAt() createdAt: string = now();
  @timestamp('Time of the last use, to the minute.', { nullable: true }) lastUsedAt?: string | null;
  @timestamp('Time at which the token expires.', { nullable: true }) expiresAt?: string | null;
  @timestamp('Time at which the token was revoked.', { nullable: true }) revokedAt?: string | null;
}

/** A token with its secret, which is shown only at its creation. */
@ObjectType({ description: 'A new token. It is shown only here.' })
export class NewApiToken {
  @Field(() => String, { description: 'The token. Store it, as it is never shown again.' }) token!: string;
  @Field(() => ApiToken, { description: "The token's properties, without the token itself." }) apiToken!: ApiToken;
}

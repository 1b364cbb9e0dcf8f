import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Node } from './node.js';

/** A token with which devices of a product register themselves. It is an API token without any other permission. */
@ObjectType({
  implements: Node,
  description: 'A token with which devices of a product register themselves, and which does nothing else.',
})
export class ProvisioningToken {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
  @Field(() => ID, { description: 'Organization that the devices become part of.' }) organizationId!: string;
  @Field(() => ID, { description: 'Product of the devices.' }) productId!: string;
  @Field(() => String, { nullable: true, description: 'What it is for.' }) name?: string | null;
  @Field(() => String, { description: 'First characters of the token, to tell tokens apart.' }) prefix!: string;
  @Field(() => Int, { description: 'How many devices may register with it.' }) deviceLimit!: number;
  @Field(() => Int, { description: 'How many devices have registered with it, deleted ones included.' })
  deviceCount!: number;
  @Field(() => GraphQLDateTimeISO, { description: 'When it was created.' }) createdAt!: string;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When it was last used, to the minute.' })
  lastUsedAt?: string | null;
  @Field(() => GraphQLDateTimeISO, { description: 'When it stops to count.' }) expiresAt!: string;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When it was revoked.' }) revokedAt?: string | null;
}

/** A provisioning token with its secret, which is shown only at its creation. */
@ObjectType({ description: 'A new provisioning token, shown this once.' })
export class NewProvisioningToken {
  @Field(() => String, { description: 'The token: keep it, it is never shown again.' }) token!: string;
  @Field(() => ProvisioningToken, { description: 'What is known of it from now on.' })
  provisioningToken!: ProvisioningToken;
}

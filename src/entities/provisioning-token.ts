import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Node } from './node.js';

/** A token with which devices of a product register themselves. It is an API token without any other permission. */
@ObjectType({
  implements: Node,
  description: 'A token with which devices of a product register themselves. It allows nothing else.',
})
export class ProvisioningToken {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
  @Field(() => ID, { description: 'Organization in which the devices are registered.' }) organizationId!: string;
  @Field(() => ID, { description: 'Product of the devices.' }) productId!: string;
  @Field(() => String, { nullable: true, description: 'Purpose of the token.' }) name?: string | null;
  @Field(() => String, { description: 'First characters of the token, to tell tokens apart.' }) prefix!: string;
  @Field(() => Int, { description: 'Number of devices that may register with the token.' }) deviceLimit!: number;
  @Field(() => Int, { description: 'Number of devices that have registered with the token, deleted ones included.' })
  deviceCount!: number;
  @Field(() => GraphQLDateTimeISO, { description: 'Time of creation.' }) createdAt!: string;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time of the last use, to the minute.' })
  lastUsedAt?: string | null;
  @Field(() => GraphQLDateTimeISO, { description: 'Time at which the token expires.' }) expiresAt!: string;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time at which the token was revoked.' }) revokedAt?:
    | string
    | null;
}

/** A provisioning token with its secret, which is shown only at its creation. */
@ObjectType({ description: 'A new provisioning token. It is shown only here.' })
export class NewProvisioningToken {
  @Field(() => String, { description: 'The token. Store it, as it is never shown again.' }) token!: string;
  @Field(() => ProvisioningToken, { description: "The token's properties, without the token itself." })
  provisioningToken!: ProvisioningToken;
}

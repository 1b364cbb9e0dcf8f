import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';

@ObjectType({ description: "The right of one tool to change an organization's configuration, for a short time." })
export class ConfigurationLease {
  @Field(() => GraphQLDateTimeISO, { description: 'Time at which it expires, unless it is renewed.' }) expiresAt!: Date;
}

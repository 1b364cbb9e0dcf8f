import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A time during which a device was at a site.' })
export class DeviceSite {
  @Field(() => ID, { description: 'The site.' }) siteId!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'Time from which the device was there.' }) startedAt!: string;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Time at which it was there no more; null while it is.',
  })
  endedAt?: string | null;
}

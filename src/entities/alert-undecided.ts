import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({
  description: 'Records that a rule has yet to decide, because its query got no answer in time when they were stored.',
})
export class AlertUndecided {
  @Field(() => GraphQLDateTimeISO, { description: 'Time at which the first of these records was stored.' })
  since!: string;
  @Field(() => Int, { description: 'Number of devices with such records, among the first 10,000 records.' })
  deviceCount!: number;
  @Field(() => [ID], { description: 'Identifiers of these devices, in the order of identifiers, at most 100.' })
  deviceIds!: string[];
}

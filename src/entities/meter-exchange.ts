import { Field, Float, ObjectType } from 'type-graphql';
import { UnixTime } from './scalars.js';

@ObjectType({
  description: 'A declared exchange of a meter: its counter continues from the first value of the new meter.',
})
export class MeterExchange {
  @Field(() => String, { description: 'Name of the variable that the meter counts.' }) variable!: string;
  @Field(() => UnixTime, { description: 'Time from which the new meter counts, in Unix seconds.' }) ts!: number;
  @Field(() => Float, { description: 'First value of the new meter.' }) value!: number;
}

import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { VariableType } from './enums.js';
import { UnixTime } from './scalars.js';

@ObjectType({
  description:
    'States of a variable of a device over time, as three columns of the same length. A state lasts until the next record, and at most 2.1 times as long as records of the device usually take. Times without an entry are unknown.',
})
export class States {
  @Field(() => ID, { description: 'Identifier of the device.' }) deviceId!: string;
  @Field(() => String, { description: 'Name of the variable.' }) name!: string;
  @Field(() => VariableType, {
    nullable: true,
    description: "Type of the variable, if the device's product declares it.",
  })
  type?: VariableType | null;
  @Field(() => String, { nullable: true, description: "Unit of the values, if the device's product declares one." })
  unit?: string | null;
  @Field(() => Int, { description: 'Length of a bucket in seconds.' })
  interval!: number;
  @Field(() => [UnixTime], {
    description:
      'Start of each entry in Unix seconds, ascending. Changes are exact while a bucket has one. Otherwise its states have one entry each, which all begin with the bucket.',
  })
  ts!: number[];
  @Field(() => [Float], {
    description: 'Seconds in the state, from that time on or within that bucket, in the order of `ts`.',
  })
  seconds!: number[];
  @Field(() => [String], {
    description:
      'The states, in the order of `ts`: `true` or `false`, a number, or the first 200 characters of a text.',
  })
  values!: string[];
}

import { GraphQLJSON } from 'graphql-scalars';
import { Field, Float, ID, ObjectType } from 'type-graphql';
import { GraphOnly } from './columns.js';
import { VariableType } from './enums.js';
import { Serial, UnixTime } from './scalars.js';

@ObjectType({ description: 'The newest measured value of a variable.' })
export class LatestValue {
  @Field(() => String, { description: 'Name of the variable.' }) name!: string;
  @Field(() => UnixTime, { description: 'Time of measurement in Unix seconds.' }) ts!: number;
  @Field(() => GraphQLJSON, { description: 'The value in its own type.' }) value!: unknown;
  @Field(() => Float, {
    nullable: true,
    description: 'Seconds by which the time was ahead when the value arrived; null if it was not ahead.',
  })
  @GraphOnly()
  ahead?: number | null;
  /** Time by which the newest value is found, in Unix seconds. */
  at!: number;
  @Field(() => VariableType, { nullable: true, description: 'Type of the variable, if the product declares it.' })
  @GraphOnly()
  type?: VariableType | null;
  @Field(() => String, { nullable: true, description: 'Unit of the variable, if the product declares one.' })
  @GraphOnly()
  unit?: string | null;
}

@ObjectType({ description: 'The newest measured values of a device.' })
export class DeviceLatest {
  @Field(() => ID, { description: 'Identifier of the device.' }) deviceId!: string;
  @Field(() => Serial, { description: 'Serial number of the device.' }) serial!: string;
  @Field(() => [LatestValue], { description: 'Values of the device by name.' }) values!: LatestValue[];
}

import { GraphQLJSON } from 'graphql-scalars';
import { Field, Float, ID, ObjectType } from 'type-graphql';

/** The newest measured value of a variable. */
@ObjectType({ description: 'The newest measured value of a variable.' })
export class LatestValue {
  @Field(() => String, { description: 'Name of the variable.' }) name!: string;
  @Field(() => Float, { description: 'When it was measured: Unix seconds.' }) ts!: number;
  @Field(() => GraphQLJSON, { description: 'The value in its own type.' }) value!: unknown;
}

/** The newest measured values of a device. */
@ObjectType({ description: 'The newest measured values of a device.' })
export class DeviceLatest {
  @Field(() => ID, { description: 'The device.' }) deviceId!: string;
  @Field(() => String, { description: 'Serial number of the device.' }) serial!: string;
  @Field(() => [LatestValue], { description: 'Its values by name.' }) values!: LatestValue[];
}

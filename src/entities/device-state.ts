import { GraphQLDateTimeISO, GraphQLJSON } from 'graphql-scalars';
import { Field, Int, ObjectType } from 'type-graphql';

/** Maximum number of names of a device's state. */
export const maxStateNames = 100;

@ObjectType({
  description: 'A part of the state of a device: the value that it should have, and the one that it reports.',
})
export class DeviceState {
  @Field(() => String, { description: 'Name.' }) name!: string;
  @Field(() => GraphQLJSON, { nullable: true, description: 'Value that it should have; null if none is desired.' })
  desired?: unknown;
  @Field(() => Int, {
    description: 'Version of the desired value: it grows by one at each change; 0 if there was none.',
  })
  version!: number;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time at which the desired value was set.' })
  desiredAt?: string | null;
  @Field(() => GraphQLJSON, { nullable: true, description: 'Value that the device reported last; null before.' })
  reported?: unknown;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time of the last report.' }) reportedAt?:
    | string
    | null;
  @Field(() => Boolean, {
    description:
      'Whether the device has reached the desired value: it reported it once, or reported another value for its version. Later changes at the device make no difference again.',
  })
  settled!: boolean;
}

@ObjectType({ description: 'The state of a device.' })
export class DeviceStates {
  @Field(() => [DeviceState], { description: 'Parts of the state, in the order of names.' }) state!: DeviceState[];
}

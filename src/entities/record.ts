import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, ObjectType } from 'type-graphql';
import type { PlainJson } from '../json.js';
import { VariableType } from './enums.js';
import { type MeasuredValue, MeasuredValueUnion } from './measured-value.js';
import { Node } from './node.js';
import { UnixTime } from './scalars.js';

/** One value of a record, with the product's declaration of its variable. */
@ObjectType({ description: 'One value of a record, with what the product says of its variable.' })
export class RecordValue {
  @Field(() => String, { description: 'Name of the variable.' }) name!: string;
  @Field(() => VariableType, { nullable: true, description: 'Type of the variable, where the product declares it.' })
  type?: VariableType | null;
  @Field(() => String, { nullable: true, description: 'Unit of the variable, where the product declares one.' })
  unit?: string | null;
  @Field(() => GraphQLJSON, { description: 'The value as it came.' }) value!: PlainJson;
  @Field(() => MeasuredValueUnion, {
    nullable: true,
    description: 'The value in the type of its variable; null where it does not fit that type.',
  })
  typed?: MeasuredValue | null;
}

/** A record that a device sent. (`Record` is a type of TypeScript.) */
@ObjectType('Record', { implements: Node, description: 'A dataset that a device sent.' })
export class DeviceRecord {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
  @Field(() => UnixTime, { description: 'When it was measured: Unix seconds, to the microsecond.' }) ts!: number;
  @Field(() => GraphQLJSONObject, { description: 'How it came: rssi, snr, provider and what else was sent.' })
  metadata!: { [key: string]: PlainJson };
  @Field(() => GraphQLJSONObject, { description: 'Values by name, as they came or were decoded.' })
  data!: { [key: string]: PlainJson };
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'The frame that it was decoded from: streamId, streamType and the payload in hex.',
  })
  frame?: { [key: string]: PlainJson } | null;
  @Field(() => ID, { description: 'Device that sent it.' }) deviceId!: string;
  @Field(() => ID, { nullable: true, description: 'Product that the device had when it was stored.' })
  productId?: string | null;
}

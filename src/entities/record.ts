import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, ObjectType } from 'type-graphql';
import type { PlainJson } from '#json/json.js';
import { VariableType } from './enums.js';
import { type MeasuredValue, MeasuredValueUnion } from './measured-value.js';
import { Node } from './node.js';
import { UnixTime } from './scalars.js';

@ObjectType({ description: "One value of a record, with the product's declaration of its variable." })
export class RecordValue {
  @Field(() => String, { description: 'Name of the variable.' }) name!: string;
  @Field(() => VariableType, { nullable: true, description: 'Type of the variable, if the product declares it.' })
  type?: VariableType | null;
  @Field(() => String, { nullable: true, description: 'Unit of the variable, if the product declares one.' })
  unit?: string | null;
  @Field(() => GraphQLJSON, { description: 'The value, unchanged.' }) value!: PlainJson;
  @Field(() => MeasuredValueUnion, {
    nullable: true,
    description: 'The value in the type of its variable; null if it does not fit the type.',
  })
  typed?: MeasuredValue | null;
}

/** A record that a device sent. (`Record` is a type of TypeScript.) */
@ObjectType('Record', { implements: Node, description: 'A record that a device sent.' })
export class DeviceRecord {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
  @Field(() => UnixTime, { description: 'Time of measurement in Unix seconds, to the microsecond.' }) ts!: number;
  @Field(() => GraphQLJSONObject, {
    description: 'Data about the transmission: rssi, snr, provider and any other fields that were sent.',
  })
  metadata!: { [key: string]: PlainJson };
  @Field(() => GraphQLJSONObject, { description: 'Values by name, as they were sent or decoded.' })
  data!: { [key: string]: PlainJson };
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'The frame that the values were decoded from: streamId, streamType and the payload in hex.',
  })
  frame?: { [key: string]: PlainJson } | null;
  @Field(() => ID, { description: 'Device that sent the record.' }) deviceId!: string;
  @Field(() => ID, { nullable: true, description: 'Product of the device when the record was stored.' })
  productId?: string | null;
}

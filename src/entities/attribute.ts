import { GraphQLJSON } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';
import { NullIsValue } from './columns.js';
import { UnixTime } from './scalars.js';

/** Maximum numbers of an owner's attributes, and of the versions of each. */
export const maxAttributes = { names: 50, versions: 1000 };

/** Maximum size of a text, in bytes of UTF-8. */
const maxTextBytes = 1024;

/** Type of an attribute's value. */
export type AttributeValue = number | boolean | string;

/** Whether a value is a finite number, a boolean, or a text of at most 1 kB. JSON has numbers that no double holds. */
export const isPlainValue = (value: unknown): value is AttributeValue =>
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && Buffer.byteLength(value) <= maxTextBytes);

/** Error message for any other value. */
export const notPlain = 'must be a number, a boolean or a text of at most 1 kB';

@ObjectType({ description: 'A value that people give a device by name. The device cannot change it.' })
export class Attribute {
  @Field(() => String, { description: 'Name.' }) name!: string;
  @Field(() => GraphQLJSON, { description: 'The value: a number, boolean or text.' }) value!: AttributeValue;
  @Field(() => UnixTime, { description: 'Time from which it holds, in Unix seconds.' }) validFrom!: number;
}

@ObjectType({ description: 'A value that an attribute has, had or will have.' })
export class AttributeVersion {
  @Field(() => UnixTime, { description: 'Time from which it holds, in Unix seconds.' }) validFrom!: number;
  @NullIsValue()
  @Field(() => GraphQLJSON, { nullable: true, description: 'The value; null where the attribute has none.' })
  value!: AttributeValue | null;
}

@ObjectType({ description: 'Attributes of a device.' })
export class Attributes {
  @Field(() => [Attribute], { description: 'Attributes that hold at the time, in the order of their names.' })
  attributes!: Attribute[];
}

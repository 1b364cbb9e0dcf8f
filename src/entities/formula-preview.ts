import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { PlainJson } from '#json/json.js';
import { UnixTime } from './scalars.js';

@ObjectType({ description: 'A fault of a derived variable, which its product would refuse.' })
export class FormulaFault {
  @Field(() => Int, { nullable: true, description: 'Index of the variable; null for a fault of all together.' })
  index!: number | null;
  @Field(() => String, { description: 'The fault, as the end of a sentence.' }) message!: string;
  @Field(() => Int, {
    nullable: true,
    description: 'Place in the formula, in UTF-16 units; null if the fault is of the whole.',
  })
  at!: number | null;
}

@ObjectType({ description: 'Value that a derived variable would have in a record.' })
export class PreviewedValue {
  @Field(() => String, { description: 'Name of the variable.' }) name!: string;
  @Field(() => GraphQLJSON, { nullable: true, description: 'The value; absent if there is none.' })
  value?: PlainJson;
  @Field(() => String, {
    nullable: true,
    description: 'Reason why there is no value, as in `metadata.derived.absent`.',
  })
  code?: string;
  @Field(() => String, { nullable: true, description: 'The input that is missing or has a wrong type.' })
  input?: string;
}

@ObjectType({ description: 'A record with the values that formulas would give it.' })
export class PreviewedRecord {
  @Field(() => ID, { description: 'Identifier of the record.' }) recordId!: string;
  @Field(() => UnixTime, { description: 'Time of measurement in Unix seconds.' }) ts!: number;
  @Field(() => GraphQLJSONObject, {
    description: 'Values that the formulas read, by name; those of attributes by `device.NAME`.',
  })
  inputs!: { [key: string]: PlainJson };
  @Field(() => [PreviewedValue], { description: 'The values, in the order of the variables.' })
  values!: PreviewedValue[];
}

@ObjectType({ description: 'Values that derived variables would have in the records of a device.' })
export class FormulaPreview {
  @Field(() => [FormulaFault], { description: 'Faults, in the order of the variables.' }) faults!: FormulaFault[];
  @Field(() => [PreviewedRecord], { description: 'The newest records of the device, the newest first.' })
  records!: PreviewedRecord[];
}

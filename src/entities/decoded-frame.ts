import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, Int, ObjectType } from 'type-graphql';
import { RestScalar } from './columns.js';
import { StreamType } from './enums.js';
import { DecodeStatus } from './words.js';

@ObjectType({ description: 'One part of a frame and how it was read.' })
export class DecodedPart {
  @Field(() => Int, { description: 'Where it begins: in bytes, for TXT the number of the field from 1.' })
  offset!: number;
  @Field(() => String, { description: 'Bytes of the part in hexadecimal.' }) bytes!: string;
  @Field(() => GraphQLJSON, { nullable: true, description: 'Name of the variable, or its number where none is known.' })
  variable?: string | number;
  @Field(() => GraphQLJSON, { nullable: true, description: 'The value; absent where it could not be read.' })
  value?: unknown;
  @Field(() => String, { nullable: true, description: 'What is wrong with it.' }) warning?: string;
}

@ObjectType({ description: 'A mapping of the product that no frame can name, so that it never decodes.' })
export class UnusedMapping {
  @Field(() => String, { description: 'Name of the variable.' }) variable!: string;
  @Field(() => Int, { description: 'Number of the stream: frames name 0 to 255.' }) streamId!: number;
  @Field(() => StreamType, { description: 'Layout of the stream.' }) streamType!: StreamType;
  @Field(() => Int, { description: 'Number of the variable: frames of the type BIN name 1 to 32.' }) varNumber!: number;
}

/** The result of decoding a frame. */
@ObjectType({ description: 'How a frame is decoded.' })
export class DecodedFrame {
  @Field(() => StreamType, { description: 'Layout that it was read by.' }) streamType!: StreamType;
  @RestScalar('String')
  @Field(() => DecodeStatus, { description: 'ok: no warnings; failed: no variable was decoded; partial: else.' })
  status!: string;
  @Field(() => GraphQLJSONObject, { description: 'The values by variable.' }) data!: object;
  @Field(() => [DecodedPart], { description: 'The parts of the frame in order.' }) parts!: DecodedPart[];
  @Field(() => [UnusedMapping], { description: 'Mappings of the product that no frame can name: they never decode.' })
  unusedMappings!: UnusedMapping[];
}

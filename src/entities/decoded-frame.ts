import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, Int, ObjectType } from 'type-graphql';
import { RestScalar } from './columns.js';
import { StreamType } from './enums.js';
import { DecodeStatus } from './text-enums.js';

@ObjectType({ description: 'One part of a frame, with the value read from it.' })
export class DecodedPart {
  @Field(() => Int, { description: 'Offset of the part in bytes; for TXT, the number of the field from 1.' })
  offset!: number;
  @Field(() => String, { description: 'Bytes of the part in hexadecimal.' }) bytes!: string;
  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'Name of the variable, or its number if the name is unknown.',
  })
  variable?: string | number;
  @Field(() => GraphQLJSON, { nullable: true, description: 'The value; absent if it could not be read.' })
  value?: unknown;
  @Field(() => String, { nullable: true, description: 'Fault of the part.' }) warning?: string;
}

@ObjectType({ description: 'A mapping of the product that no frame can address, so that it never decodes.' })
export class UnusedMapping {
  @Field(() => String, { description: 'Name of the variable.' }) variable!: string;
  @Field(() => Int, { description: 'Number of the stream; frames can address 0 to 255.' }) streamId!: number;
  @Field(() => StreamType, { description: 'Layout of the stream.' }) streamType!: StreamType;
  @Field(() => Int, { description: 'Number of the variable; frames of type BIN can address 1 to 32.' })
  varNumber!: number;
}

@ObjectType({ description: 'The result of decoding a frame.' })
export class DecodedFrame {
  @Field(() => StreamType, { description: 'Layout by which the frame was read.' }) streamType!: StreamType;
  @RestScalar('String')
  @Field(() => DecodeStatus, { description: 'ok: no warnings; failed: no variable was decoded; partial: otherwise.' })
  status!: string;
  @Field(() => GraphQLJSONObject, { description: 'The values by variable.' }) data!: object;
  @Field(() => [DecodedPart], { description: 'The parts of the frame in order.' }) parts!: DecodedPart[];
  @Field(() => [UnusedMapping], {
    description: 'Mappings of the product that no frame can address. They never decode.',
  })
  unusedMappings!: UnusedMapping[];
}

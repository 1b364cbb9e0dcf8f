import { IsIn } from 'class-validator';
import { ArgsType, Field } from 'type-graphql';
import { StreamType } from '#entities/enums.js';
import { largestStreamId } from '#entities/variables.js';
import { ProductArgs } from '#listing/identifier.args.js';
import { choice, flag, ids, unixTime, whole } from '#schema/fields.js';

/** A frame to decode. */
@ArgsType()
export class DecodeFrameArgs extends ProductArgs {
  @whole('Number of the stream.', 0, largestStreamId) streamId!: number;
  @choice(() => StreamType, 'Layout of the stream.') streamType!: StreamType;
  @Field(() => String, { description: 'The bytes.' }) payload!: string;
  @Field(() => String, { nullable: true, description: 'Encoding of the bytes: hex (the default), base64 or utf8.' })
  @IsIn(['hex', 'base64', 'utf8'])
  encoding?: string | null;
}

/** Selects the records of a product to compute again. */
@ArgsType()
export class RecomputeArgs extends ProductArgs {
  @ids('Only records of these devices.') deviceIds?: string[] | null;
  @unixTime('Only records measured at this time or later: Unix seconds.') from?: number | null;
  @unixTime('Only records measured at this time or earlier: Unix seconds.') to?: number | null;
  @flag('Only count the records that would change.') dryRun?: boolean | null;
}

/** Selects the records of a product to decode again. */
@ArgsType()
export class RedecodeArgs extends ProductArgs {
  @unixTime('Only records measured at this time or later: Unix seconds.') from?: number | null;
  @unixTime('Only records measured at this time or earlier: Unix seconds.') to?: number | null;
  @flag('Only count the records that would change.') dryRun?: boolean | null;
}

import { IsIn, Max, Min } from 'class-validator';
import { ArgsType, Field, Float } from 'type-graphql';
import { StreamType } from '../entities/enums.js';
import { OrganizationArgs } from './account.args.js';
import { choice, flag, id, whole } from './fields.js';
import { ProductArgs } from './product.args.js';

/** A frame to explain. */
@ArgsType()
export class DecodeFrameArgs extends ProductArgs {
  @whole('Number of the stream.', 1, 255) streamId!: number;
  @choice(() => StreamType, 'Layout of the stream.') streamType!: StreamType;
  @Field(() => String, { description: 'The bytes.' }) payload!: string;
  @Field(() => String, { nullable: true, description: 'How they are written: hex (the usual), base64 or utf8.' })
  @IsIn(['hex', 'base64', 'utf8'])
  encoding?: string | null;
}

/** Which records of a product to decode again. */
@ArgsType()
export class RedecodeArgs extends ProductArgs {
  @Field(() => Float, { nullable: true, description: 'Measured from then on: Unix seconds, included.' })
  @Min(0)
  @Max(1e11)
  from?: number | null;
  @Field(() => Float, { nullable: true, description: 'Measured up to then: Unix seconds, included.' })
  @Min(0)
  @Max(1e11)
  to?: number | null;
  @flag('Only count the records that would change.') dryRun?: boolean | null;
}

/** Names a job. */
@ArgsType()
export class JobArgs extends OrganizationArgs {
  @id('Job.') jobId!: string;
}

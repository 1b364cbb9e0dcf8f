import { Field, Float, ObjectType } from 'type-graphql';
import { UnixTime } from './scalars.js';
import { ItemErrorCode } from './text-enums.js';

@ObjectType({ description: 'The number of items rejected for one reason.' })
export class RejectedItems {
  @Field(() => ItemErrorCode, {
    description: 'UNKNOWN_DEVICE, VALIDATION_FAILED, TS_OUT_OF_RANGE, BAD_PAYLOAD or MALFORMED_REQUEST.',
  })
  code!: string;
  @Field(() => Float, { description: 'Number of items that were rejected for this reason.' }) count!: number;
}

@ObjectType({
  description: 'Ingestion in a time bucket, by the time of ingestion, not of measurement.',
})
export class RecordActivity {
  @Field(() => UnixTime, { description: 'Start of the bucket in Unix seconds.' }) ts!: number;
  @Field(() => Float, { description: 'Number of records stored.' }) stored!: number;
  @Field(() => Float, { description: 'Number of items that repeated a record and were not stored again.' })
  duplicates!: number;
  @Field(() => Float, { description: 'Number of items that were rejected, for any reason.' }) rejected!: number;
  @Field(() => [RejectedItems], { description: 'Rejected items by reason. Reasons that did not occur are omitted.' })
  rejections!: RejectedItems[];
  @Field(() => Float, {
    description: 'Number of stored records whose frame was partially decoded (`metadata.decode`).',
  })
  decodePartial!: number;
  @Field(() => Float, { description: 'Number of stored records whose frame yielded no variable.' })
  decodeFailed!: number;
}

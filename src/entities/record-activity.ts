import { Field, Float, ObjectType } from 'type-graphql';
import { UnixTime } from './scalars.js';
import { ItemErrorCode } from './words.js';

/** The number of items that were rejected for one reason. */
@ObjectType({ description: 'How many items were rejected for one reason.' })
export class RejectedItems {
  @Field(() => ItemErrorCode, {
    description: 'UNKNOWN_DEVICE, VALIDATION_FAILED, TS_OUT_OF_RANGE, BAD_PAYLOAD or MALFORMED_REQUEST.',
  })
  code!: string;
  @Field(() => Float, { description: 'Number of items that were rejected for this reason.' }) count!: number;
}

/** The ingestion in a time bucket, by the time of ingestion, not of measurement. */
@ObjectType({
  description: 'What ingestion did in a stretch of time, by when it was done and not by when records were measured.',
})
export class RecordActivity {
  @Field(() => UnixTime, { description: 'When the stretch of time begins: Unix seconds.' }) ts!: number;
  @Field(() => Float, { description: 'Records stored.' }) stored!: number;
  @Field(() => Float, { description: 'Items that repeated a record and were not stored again.' }) duplicates!: number;
  @Field(() => Float, { description: 'Items that were rejected, for whatever reason.' }) rejected!: number;
  @Field(() => [RejectedItems], { description: 'Rejected items by reason; reasons that did not occur are left out.' })
  rejections!: RejectedItems[];
  @Field(() => Float, { description: 'Stored records whose frame was decoded in part (`metadata.decode`).' })
  decodePartial!: number;
  @Field(() => Float, { description: 'Stored records of whose frame no variable was decoded.' })
  decodeFailed!: number;
}

import { Field, Float, ObjectType } from 'type-graphql';
import { UnixTime } from './scalars.js';

/** How many items were rejected for one reason. */
@ObjectType({ description: 'How many items were rejected for one reason.' })
export class RejectedItems {
  @Field(() => String, {
    description: 'UNKNOWN_DEVICE, VALIDATION_FAILED, TS_OUT_OF_RANGE, BAD_PAYLOAD or MALFORMED_REQUEST.',
  })
  code!: string;
  @Field(() => Float, { description: 'Items.' }) count!: number;
}

/** What ingestion did in a stretch of time, by when it was done and not by when records were measured. */
@ObjectType({
  description: 'What ingestion did in a stretch of time, by when it was done and not by when records were measured.',
})
export class RecordActivity {
  @Field(() => UnixTime, { description: 'When it begins.' }) ts!: number;
  @Field(() => Float, { description: 'Records stored.' }) stored!: number;
  @Field(() => Float, { description: 'Items that repeated a record and were not stored again.' }) duplicates!: number;
  @Field(() => Float, { description: 'Items that were rejected, for whatever reason.' }) rejected!: number;
  @Field(() => [RejectedItems], { description: 'The same by reason, only those that occurred.' })
  rejections!: RejectedItems[];
  @Field(() => Float, { description: 'Stored records whose frame was decoded in part (`metadata.decode`).' })
  decodePartial!: number;
  @Field(() => Float, { description: 'Stored records of whose frame no variable was decoded.' })
  decodeFailed!: number;
}

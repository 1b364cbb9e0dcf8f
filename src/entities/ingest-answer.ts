import { Extensions, Field, ID, Int, ObjectType } from 'type-graphql';
import { RestScalar } from './columns.js';
import { ItemErrorCode, ItemStatus } from './words.js';

@ObjectType({ description: 'Why an item was not stored.' })
export class ItemError {
  @RestScalar('String')
  @Field(() => ItemErrorCode, {
    description: 'UNKNOWN_DEVICE, VALIDATION_FAILED, TS_OUT_OF_RANGE, BAD_PAYLOAD or MALFORMED_REQUEST.',
  })
  code!: string;
  @Field(() => String, { description: 'A sentence that says what is wrong.' }) message!: string;
}

/** The outcome of one item of a call. */
@ObjectType({ description: 'What became of one item of a call.' })
export class IngestedItem {
  @Field(() => Int, { description: 'Place in the call, from 0.' }) index!: number;
  @Field(() => ItemStatus, { description: 'stored, duplicate or rejected.' }) @RestScalar('String') status!: string;
  @Field(() => ID, { nullable: true, description: 'The record; of a duplicate the one that it repeats.' })
  recordId?: string;
  @Field(() => ItemError, { nullable: true, description: 'Why it was rejected.' }) error?: ItemError;
}

/** The outcome of the items of a call. */
@ObjectType({ description: 'What became of the items of a call.' })
export class IngestAnswer {
  @Field(() => Int, { description: 'Items stored.' }) accepted!: number;
  @Field(() => Int, { description: 'Items that had come before.' }) duplicates!: number;
  @Field(() => Int, { description: 'Items refused.' }) rejected!: number;
  // The list reports what has already happened, so its length is not charged (see `schema/cost`).
  @Extensions({ uncounted: true })
  @Field(() => [IngestedItem], { description: 'Items that were not stored; all of them when asked to be verbose.' })
  results!: IngestedItem[];
}

/** Maximum number of items per call. */
export const maxItems = 10_000;

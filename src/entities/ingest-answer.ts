import { Extensions, Field, ID, Int, ObjectType } from 'type-graphql';
import { RestScalar } from './columns.js';
import { ItemErrorCode, ItemStatus } from './text-enums.js';

@ObjectType({ description: 'Reason why an item was not stored.' })
export class ItemError {
  @RestScalar('String')
  @Field(() => ItemErrorCode, {
    description: 'UNKNOWN_DEVICE, VALIDATION_FAILED, TS_OUT_OF_RANGE, BAD_PAYLOAD or MALFORMED_REQUEST.',
  })
  code!: string;
  @Field(() => String, { description: 'Description of the fault in a sentence.' }) message!: string;
}

@ObjectType({ description: 'The outcome of one item of a call.' })
export class IngestedItem {
  @Field(() => Int, { description: 'Index of the item in the call, from 0.' }) index!: number;
  @Field(() => ItemStatus, { description: 'stored, duplicate or rejected.' }) @RestScalar('String') status!: string;
  @Field(() => ID, {
    nullable: true,
    description: 'Identifier of the record; for a duplicate, that of the record it repeats.',
  })
  recordId?: string;
  @Field(() => ItemError, { nullable: true, description: 'Reason why the item was rejected.' }) error?: ItemError;
}

@ObjectType({ description: 'The outcome of the items of a call.' })
export class IngestAnswer {
  @Field(() => Int, { description: 'Number of items stored.' }) accepted!: number;
  @Field(() => Int, { description: 'Number of items that had been stored before.' }) duplicates!: number;
  @Field(() => Int, { description: 'Number of items rejected.' }) rejected!: number;
  // The list reports what has already happened, so its length is not charged (see `schema/cost`).
  @Extensions({ uncounted: true })
  @Field(() => [IngestedItem], { description: 'Items that were not stored; all items when `verbose` is set.' })
  results!: IngestedItem[];
}

/** Maximum number of items per call. */
export const maxItems = 10_000;

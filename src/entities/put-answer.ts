import { Extensions, Field, ID, Int, ObjectType } from 'type-graphql';
import { PutErrorCode, PutStatus } from './text-enums.js';

/** One fault of an item: its place in the item and what is wrong. */
@ObjectType({ description: 'One fault of an item.' })
export class PutFault {
  @Field(() => String, { description: 'Place in the item, such as `location.lat`.' }) path!: string;
  @Field(() => String, { description: 'Description of the fault.' }) message!: string;
}

@ObjectType({ description: 'Reason why an item was not put.' })
export class PutError {
  @Field(() => PutErrorCode, { description: 'Code of the error, as for the operation on a single item.' })
  code!: string;
  @Field(() => String, { description: 'A sentence that says what is wrong.' }) message!: string;
  @Extensions({ uncounted: true })
  @Field(() => [PutFault], { description: 'The faults, each with its place in the item.' })
  errors!: PutFault[];
}

@ObjectType({ description: 'The outcome for one item of a call.' })
export class PutItem {
  @Field(() => Int, { description: 'Place in the call, from 0.' }) index!: number;
  @Field(() => PutStatus, { description: 'The outcome.' }) status!: string;
  @Field(() => ID, {
    nullable: true,
    description: 'Identifier of the thing; null for an item that failed and, in a dry run, for one to be created.',
  })
  id?: string | null;
  @Field(() => PutError, { nullable: true, description: 'Reason why the item failed.' }) error?: PutError | null;
  @Field(() => [String], {
    nullable: true,
    description:
      'Warnings about what an alert rule cannot do, based on the records of its devices; null for a failed item and for other things.',
  })
  warnings?: string[];
}

@ObjectType({ description: 'The outcomes of a call that puts many things.' })
export class PutAnswer {
  @Field(() => Int, { description: 'Items that were created.' }) created!: number;
  @Field(() => Int, { description: 'Items that were changed.' }) updated!: number;
  @Field(() => Int, { description: 'Items that already were as the call describes them.' }) unchanged!: number;
  @Field(() => Int, { description: 'Items that failed. The others are stored nevertheless.' }) failed!: number;
  // The call's own items: they are not charged (see `schema/cost`).
  @Extensions({ uncounted: true })
  @Field(() => [PutItem], { description: 'One outcome per item, in order.' })
  results!: PutItem[];
}

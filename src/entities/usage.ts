import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, Float, ID, ObjectType, registerEnumType } from 'type-graphql';

/** Groupings of usage. */
export enum UsageBy {
  organization = 'organization',
  product = 'product',
  application = 'application',
}

registerEnumType(UsageBy, {
  name: 'UsageBy',
  description: 'What usage is told by: the organization as a whole, each product, or each application.',
});

/** The usage of a day. */
@ObjectType({
  description:
    'What was used in a day (UTC), by when it happened and not by when records were measured. What is deleted later still counts.',
})
export class UsageDay {
  @Field(() => String, { description: 'Day in UTC, such as 2026-11-20.' }) day!: string;
  @Field(() => ID, { nullable: true, description: 'Product, where usage is told by product.' })
  productId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Application, where usage is told by application.' })
  applicationId?: string | null;
  @Field(() => Float, { description: 'Records stored. Repeated and rejected ones do not count.' }) records!: number;
  @Field(() => Float, {
    description: 'Bytes of these records as they are written: values, metadata, frame and keys, without indexes.',
  })
  bytes!: number;
  @Field(() => Float, {
    description: 'Deliveries of records to hooks that were made, each once whatever its attempts.',
  })
  deliveries!: number;
  @Field(() => Float, {
    nullable: true,
    description: 'Calls of the API that were let in, of the organization as a whole.',
  })
  calls?: number | null;
}

@ObjectType({ description: 'A quota, and how much of it is used.' })
export class QuotaState {
  @Field(() => Float, { nullable: true, description: 'How many there may be; any number where it is absent.' })
  limit?: number | null;
  @Field(() => Float, {
    nullable: true,
    description: 'How many there are; stored bytes are counted where they have a limit.',
  })
  used?: number | null;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When counting starts anew.' })
  until?: string | null;
}

/** The quotas of an organization. */
@ObjectType({ description: 'How much an organization may use, as the operator has set it.' })
export class Quota {
  @Field(() => QuotaState, { description: 'Records stored in a day (UTC).' }) recordsPerDay!: QuotaState;
  @Field(() => QuotaState, { description: 'Number of devices.' }) devices!: QuotaState;
  @Field(() => QuotaState, { description: 'Bytes of the records that are stored now.' }) storedBytes!: QuotaState;
}

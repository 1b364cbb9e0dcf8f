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
  description: 'Grouping of usage: the organization as a whole, each product, or each application.',
});

@ObjectType({
  description: 'The usage of a day (UTC), by the time of use, not of measurement. Objects deleted later still count.',
})
export class UsageDay {
  @Field(() => String, { description: 'Day in UTC, such as 2026-11-20.' }) day!: string;
  @Field(() => ID, { nullable: true, description: 'Product, if usage is grouped by product.' })
  productId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Application, if usage is grouped by application.' })
  applicationId?: string | null;
  @Field(() => Float, { description: 'Number of records stored. Repeated and rejected items do not count.' })
  records!: number;
  @Field(() => Float, {
    description: 'Size of these records as stored, in bytes: values, metadata, frame and keys, without indexes.',
  })
  bytes!: number;
  @Field(() => Float, {
    description: 'Number of deliveries of records to hooks. Each delivery counts once, regardless of its attempts.',
  })
  deliveries!: number;
  @Field(() => Float, {
    nullable: true,
    description: 'Number of admitted API calls of the organization as a whole.',
  })
  calls?: number | null;
  @Field(() => Float, {
    nullable: true,
    description: 'Number of commands sent to devices by the organization as a whole.',
  })
  commands?: number | null;
}

@ObjectType({ description: 'A quota and its use.' })
export class QuotaState {
  @Field(() => Float, { nullable: true, description: 'Maximum number; without a value there is no limit.' })
  limit?: number | null;
  @Field(() => Float, {
    nullable: true,
    description: 'Number in use. Stored bytes are counted only if they have a limit.',
  })
  used?: number | null;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time at which the count restarts.' })
  until?: string | null;
}

@ObjectType({ description: 'The quotas of an organization, which the operator sets.' })
export class Quota {
  @Field(() => QuotaState, { description: 'Records stored in a day (UTC).' }) recordsPerDay!: QuotaState;
  @Field(() => QuotaState, { description: 'Number of devices.' }) devices!: QuotaState;
  @Field(() => QuotaState, { description: 'Bytes of the records that are stored now.' }) storedBytes!: QuotaState;
  @Field(() => QuotaState, { description: 'Commands sent to devices in a day (UTC).' }) commandsPerDay!: QuotaState;
}

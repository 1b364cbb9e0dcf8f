import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, Float, Int, ObjectType } from 'type-graphql';
import { DeliveryError } from './delivery.js';

@ObjectType({
  description: 'Statistics of a hook over its latest thousand ended deliveries, and the number of waiting ones.',
})
export class HookStats {
  @Field(() => Int, { description: 'Number of waiting deliveries, counted up to 10,000.' }) pending!: number;
  @Field(() => Int, {
    description: 'Number of waiting deliveries that have failed and are tried again, counted up to 10,000.',
  })
  retrying!: number;
  @Field(() => Int, { description: 'Number of calls in progress.' }) running!: number;
  @Field(() => Float, {
    nullable: true,
    description:
      'Share of deliveries that succeeded, 0 to 1. Those that failed and are tried again count as not succeeded.',
  })
  successRate?: number | null;
  @Field(() => Float, { nullable: true, description: 'Median duration of the latest calls, in milliseconds.' })
  p50?: number | null;
  @Field(() => Float, {
    nullable: true,
    description: '95th percentile of the duration of the latest calls, in milliseconds.',
  })
  p95?: number | null;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time of the last failed call.' })
  lastFailureAt?: string | null;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time of the latest call.' })
  lastAttemptAt?: string | null;
  @Field(() => Int, { nullable: true, description: 'HTTP status of the latest call; null without an answer.' })
  lastStatusCode?: number | null;
  @Field(() => DeliveryError, { nullable: true, description: 'Reason why the latest call got no answer.' })
  lastError?: DeliveryError | null;
}

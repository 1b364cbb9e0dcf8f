import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, Float, Int, ObjectType } from 'type-graphql';

/** Statistics of a hook: its latest thousand ended deliveries, and the waiting ones. */
@ObjectType({ description: 'How a hook fares: its latest thousand deliveries that ended, and what waits.' })
export class HookStats {
  @Field(() => Int, { description: 'Deliveries that wait, counted up to 10,000.' }) pending!: number;
  @Field(() => Int, { description: 'Calls under way.' }) running!: number;
  @Field(() => Float, { nullable: true, description: 'Share of deliveries that succeeded, 0 to 1.' })
  successRate?: number | null;
  @Field(() => Float, { nullable: true, description: 'Median duration of the latest calls, in milliseconds.' })
  p50?: number | null;
  @Field(() => Float, { nullable: true, description: '95th percentile of their duration, in milliseconds.' })
  p95?: number | null;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When a call last failed.' })
  lastFailureAt?: string | null;
}

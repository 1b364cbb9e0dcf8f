import { Field, Float, Int, ObjectType } from 'type-graphql';
import { UnixTime } from './scalars.js';

@ObjectType({
  description: 'The deliveries of a hook that were stored in a time bucket, pings included, by their present state.',
})
export class HookActivity {
  @Field(() => UnixTime, { description: 'Start of the bucket.' }) ts!: number;
  @Field(() => Int, { description: 'Deliveries that succeeded.' }) succeeded!: number;
  @Field(() => Int, { description: 'Deliveries that failed permanently.' }) failed!: number;
  @Field(() => Int, { description: 'Number of deliveries that wait for an attempt or are in one.' }) pending!: number;
  @Field(() => Float, { nullable: true, description: 'Share of the ended deliveries that succeeded, 0 to 1.' })
  successRate?: number | null;
  @Field(() => Float, {
    nullable: true,
    description: 'Median duration of the last calls in milliseconds, over the newest 200 ended deliveries.',
  })
  p50?: number | null;
  @Field(() => Float, {
    nullable: true,
    description: '95th percentile of the duration of these calls, in milliseconds.',
  })
  p95?: number | null;
}

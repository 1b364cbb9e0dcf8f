import { Field, Float, Int, ObjectType } from 'type-graphql';
import { UnixTime } from './scalars.js';

/** The deliveries of a hook that were stored in a time bucket, by their present state. */
@ObjectType({
  description: 'The deliveries of a hook that were stored in a stretch of time, pings included, by how they stand now.',
})
export class HookActivity {
  @Field(() => UnixTime, { description: 'When it begins.' }) ts!: number;
  @Field(() => Int, { description: 'Deliveries that succeeded.' }) succeeded!: number;
  @Field(() => Int, { description: 'Deliveries that failed for good.' }) failed!: number;
  @Field(() => Int, { description: 'Deliveries that wait for an attempt, or are being called.' }) pending!: number;
  @Field(() => Float, { nullable: true, description: 'Share of those that ended which succeeded, 0 to 1.' })
  successRate?: number | null;
  @Field(() => Float, {
    nullable: true,
    description: 'Median duration of the last call of each, in milliseconds, of the newest 200 that ended.',
  })
  p50?: number | null;
  @Field(() => Float, { nullable: true, description: '95th percentile of the time that calls took, in milliseconds.' })
  p95?: number | null;
}

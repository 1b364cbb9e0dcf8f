import { Field, Int, ObjectType } from 'type-graphql';
import { Job } from './job.js';

/** The effect of a change of many devices, or of its dry run. */
@ObjectType({ description: 'What a change of many devices does, or would do.' })
export class DeviceBatch {
  @Field(() => Int, { description: 'Devices that were named, or that match.' }) matched!: number;
  @Field(() => Int, {
    description:
      'Of these, those that it changes; the others are so already. With a job, as they were counted before it.',
  })
  changed!: number;
  @Field(() => Int, {
    description:
      'Of these, those that it must not change: they are linked (when deleting), or would have more than 50 tags. Unless there are none, nothing is changed.',
  })
  blocked!: number;
  @Field(() => Job, { nullable: true, description: 'The job that changes them, where more than 1,000 match.' })
  job?: Job | null;
}

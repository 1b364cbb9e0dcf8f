import { Field, Int, ObjectType } from 'type-graphql';
import { Job } from './job.js';

@ObjectType({ description: 'The effect of a change of many devices, or of its dry run.' })
export class DeviceBatch {
  @Field(() => Int, { description: 'Number of devices that were named, or that match.' }) matched!: number;
  @Field(() => Int, {
    description:
      'Number of these devices that the change affects; the others already are in the desired state. With a job, they were counted before it.',
  })
  changed!: number;
  @Field(() => Int, {
    description:
      'Number of these devices that must not be changed: linked ones (when deleting), and those that would have more than 50 tags. If there are any, nothing is changed.',
  })
  blocked!: number;
  @Field(() => Job, { nullable: true, description: 'The job that changes the devices, if more than 1,000 match.' })
  job?: Job | null;
}

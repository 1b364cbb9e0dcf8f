import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, Float, ID, ObjectType, registerEnumType } from 'type-graphql';
import { RestScalar } from './columns.js';
import { Node } from './node.js';
import { JobKind } from './text-enums.js';

/** States of a job. */
export enum JobState {
  pending = 'pending',
  running = 'running',
  done = 'done',
  failed = 'failed',
}

registerEnumType(JobState, { name: 'JobState', description: 'State of a job.' });

@ObjectType({
  implements: Node,
  description: 'A long-running job. It continues whether or not a client waits for it.',
})
export class Job {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
  /** Organization that requested the job. */
  organizationId!: string;
  @Field(() => JobKind, { description: 'Work of the job.' }) @RestScalar('String') kind!: string;
  @Field(() => JobState, { description: 'State of the job.' }) state!: JobState;
  @Field(() => Float, { description: 'Number of objects processed so far.' }) done!: number;
  @Field(() => Float, { nullable: true, description: 'Number of objects to process, once they are counted.' })
  total?: number | null;
  @Field(() => Float, { description: 'Number of objects changed so far.' }) changed!: number;
  @Field(() => String, { nullable: true, description: 'Reason why the job failed.' }) error?: string | null;
  @Field(() => GraphQLDateTimeISO, { description: 'Time of the request.' }) createdAt!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'Time of the last progress.' }) updatedAt!: string;
}

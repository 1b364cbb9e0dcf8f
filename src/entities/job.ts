import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, Float, ID, ObjectType, registerEnumType } from 'type-graphql';
import { RestScalar } from './columns.js';
import { Node } from './node.js';
import { JobKind } from './words.js';

/** States of a job. */
export enum JobState {
  pending = 'pending',
  running = 'running',
  done = 'done',
  failed = 'failed',
}

registerEnumType(JobState, { name: 'JobState', description: 'Where a job stands.' });

/** A long-running job. */
@ObjectType({
  implements: Node,
  description: 'Long work that was asked for; it goes on whether or not anybody waits for it.',
})
export class Job {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
  /** Organization that requested the job. */
  organizationId!: string;
  @Field(() => JobKind, { description: 'What it does.' }) @RestScalar('String') kind!: string;
  @Field(() => JobState, { description: 'Where it stands.' }) state!: JobState;
  @Field(() => Float, { description: 'Things looked at so far.' }) done!: number;
  @Field(() => Float, { nullable: true, description: 'Things to look at, once they are counted.' })
  total?: number | null;
  @Field(() => Float, { description: 'Things changed so far.' }) changed!: number;
  @Field(() => String, { nullable: true, description: 'Why it failed.' }) error?: string | null;
  @Field(() => GraphQLDateTimeISO, { description: 'When it was asked for.' }) createdAt!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'When it last went on.' }) updatedAt!: string;
}

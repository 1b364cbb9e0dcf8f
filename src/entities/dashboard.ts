import { GraphQLDateTimeISO, GraphQLJSON } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'The dashboard of an application: its panels, their sources and their places.' })
export class Dashboard {
  @Field(() => ID, { description: 'Application of the dashboard.' }) applicationId!: string;
  @Field(() => Int, { description: 'Number of times that it was saved; 0 before the first time.' }) version!: number;
  @Field(() => GraphQLJSON, { description: 'Document of format 1, as the guide to dashboards describes it.' })
  document!: unknown;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time of the last save; null before the first.' })
  updatedAt?: string | null;
  /** The member who saved it, if it was not a token of the organization. */
  updatedById?: string | null;
}

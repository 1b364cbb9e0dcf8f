import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, Int, ObjectType } from 'type-graphql';

/** The answers to the queries of one search, in the form of search engines. */
@ObjectType({ description: 'The answers to the queries of one search.' })
export class SearchAnswer {
  @Field(() => Int, { description: 'Duration of the whole call in milliseconds.' }) took!: number;
  @Field(() => [GraphQLJSONObject], {
    description:
      "One answer per query, in the order of the queries and in the form of search engines: hits and aggregations, or the query's own error.",
  })
  responses!: object[];
}

import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Node } from './node.js';

@ObjectType({ implements: Node, description: 'A browser in which a person is signed in.' })
export class Session {
  @Field(() => ID, {
    description: 'Identifier. The session gets another one when it begins to act in another organization.',
  })
  id!: string;
  @Field(() => ID, { description: 'Person who is signed in.' }) userId!: string;
  @Field(() => ID, { nullable: true, description: 'Organization that the session acts in.' })
  organizationId?: string | null;
  @Field(() => GraphQLDateTimeISO, { description: 'Time of the sign-in.' }) createdAt!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'Time of the last use, to the minute.' }) lastUsedAt!: string;
  @Field(() => GraphQLDateTimeISO, {
    description: 'Time at which the session ends; 12 hours without use end it earlier.',
  })
  expiresAt!: string;
  @Field(() => String, { nullable: true, description: 'User agent of the browser at the sign-in.' })
  userAgent?: string | null;
  @Field(() => String, { nullable: true, description: 'Network address that the person signed in from.' })
  address?: string | null;
  @Field(() => Boolean, { description: 'Whether it is the session of this call.' }) current!: boolean;
}

@ObjectType({ description: 'Result of ending sessions.' })
export class RevokedSessions {
  @Field(() => Int, { description: 'Number of sessions that ended.' }) count!: number;
}

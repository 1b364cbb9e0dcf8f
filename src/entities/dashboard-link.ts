import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, ObjectType } from 'type-graphql';
import { Node } from './node.js';
import { WebAddress } from './scalars.js';

@ObjectType({
  implements: Node,
  description: 'A link that shows the dashboard of one application to whoever has it.',
})
export class DashboardLink {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
  @Field(() => ID, { description: 'Application whose dashboard the link shows.' }) applicationId!: string;
  @Field(() => String, { description: 'Purpose of the link, such as the place of the screen.' }) name!: string;
  @Field(() => String, { description: 'First characters of the token, to tell links apart.' }) prefix!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'Time of creation.' }) createdAt!: string;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time of the last use, to the minute.' })
  lastUsedAt?: string | null;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time at which the link expires.' })
  expiresAt?: string | null;
}

/** A new link with its token, which is shown only at its creation. */
@ObjectType({ description: 'A new link with its token, which is shown only here.' })
export class DashboardLinkSecret {
  @Field(() => String, { description: 'The token: scope `read`, for the application alone.' }) token!: string;
  @Field(() => WebAddress, {
    description: 'Address that shows the dashboard. The token is its fragment, which browsers send to nobody.',
  })
  url!: string;
  @Field(() => DashboardLink, { description: 'The link, without its token.' }) link!: DashboardLink;
}

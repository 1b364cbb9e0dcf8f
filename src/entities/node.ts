import { Field, ID, InterfaceType } from 'type-graphql';

@InterfaceType('Node', {
  description: 'Anything that is found by its identifier alone (GraphQL Global Object Identification).',
})
export abstract class Node {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
}

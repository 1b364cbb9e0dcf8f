import { Field, ID, InterfaceType } from 'type-graphql';

@InterfaceType('Node', {
  description: 'An object that can be found by its identifier alone (GraphQL Global Object Identification).',
})
export abstract class Node {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
}

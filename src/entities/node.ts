// The decorators of entities need it, whichever entity a program loads first.
import 'reflect-metadata';
import { Field, ID, InterfaceType } from 'type-graphql';

@InterfaceType('Node', {
  description: 'An object that can be found by its identifier alone (GraphQL Global Object Identification).',
})
export abstract class Node {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
}

import { ArrayMaxSize } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { id } from '#schema/fields.js';

/** Identifies an object of any type. */
@ArgsType()
export class NodeArgs {
  @id('Identifier of any Node.') id!: string;
}

/** Identifies several objects of any types. */
@ArgsType()
export class NodesArgs {
  @Field(() => [ID], { description: 'Identifiers of any Nodes, at most 100.' })
  @ArrayMaxSize(100)
  ids!: string[];
}

import { ArrayMaxSize } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { id } from './fields.js';

/** Names anything. */
@ArgsType()
export class NodeArgs {
  @id('Identifier of anything that is a Node.') id!: string;
}

/** Names many things of any types. */
@ArgsType()
export class NodesArgs {
  @Field(() => [ID], { description: 'Identifiers of anything that is a Node, at most 100.' })
  @ArrayMaxSize(100)
  ids!: string[];
}

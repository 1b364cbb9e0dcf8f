import { ArgsType } from 'type-graphql';
import { id } from './fields.js';

/** Names anything. */
@ArgsType()
export class NodeArgs {
  @id('Identifier of anything that is a Node.') id!: string;
}

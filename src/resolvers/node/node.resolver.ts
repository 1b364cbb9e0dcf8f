import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { notFound } from '#common/errors.js';
import { Node } from '#entities/node.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { Sized } from '#schema/cost.js';
import { NodeArgs, NodesArgs } from './node.args.js';
import { findNode } from './nodes.js';

/** Resolves an object of any type by its identifier. */
@Resolver()
export class NodeResolver {
  constructor(private readonly index: Pick<RecordIndex, 'find'>) {}

  @Query(() => Node, {
    description: 'Finds an object of any type by its identifier alone, if the caller can see it.',
  })
  async node(@Args(() => NodeArgs) { id }: NodeArgs, @Ctx() ctx: Context): Promise<Node> {
    const node = await findNode(ctx, this.index, id);
    if (node === null) throw notFound('node');
    return node;
  }

  @Sized({ ids: 1 })
  @Query(() => [Node], {
    nullable: 'items',
    description:
      'Finds objects of any types by their identifiers, in the order of the identifiers; null for each that the caller cannot see.',
  })
  nodes(@Args(() => NodesArgs) { ids }: NodesArgs, @Ctx() ctx: Context): Promise<(Node | null)[]> {
    return Promise.all(ids.map((id) => findNode(ctx, this.index, id)));
  }
}

import type { ListPart } from '../tool.js';

/** A connection of the graph. */
export interface GraphConnection<Node> {
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Converts a connection to a part of a list. The next part begins at the graph's own cursor. */
export const partOf = <Node>(
  { edges, pageInfo }: GraphConnection<Node>,
  itemOf: (node: Node) => unknown,
): ListPart => ({
  items: edges.map(({ node }) => itemOf(node)),
  positions: edges.map(({ cursor }) => cursor),
  next: pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined,
});

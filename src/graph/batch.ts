import { GraphQLError, getOperationAST, OperationTypeNode, parse } from 'graphql';
import { bounds } from './document-limit.js';

/**
 * Cuts a batch into runs that are carried out one after the other: queries that stand together are one run, and what
 * is, or may be, a mutation is a run of its own.
 */
export function runsOf(operations: readonly unknown[]): unknown[][] {
  const runs: unknown[][] = [];
  let open = false;
  for (const operation of operations) {
    const query = isQuery(operation);
    if (query && open) runs.at(-1)!.push(operation);
    else runs.push([operation]);
    open = query;
  }
  return runs;
}

/** Whether an operation is surely a query; one that is only named by its hash is not. */
function isQuery(operation: unknown): boolean {
  if (typeof operation !== 'object' || operation === null || !('query' in operation)) return false;
  const { query, operationName } = operation as { query: unknown; operationName?: unknown };
  if (typeof query !== 'string') return false;
  try {
    const document = parse(query, { maxTokens: bounds.tokens, noLocation: true });
    const name = typeof operationName === 'string' ? operationName : null;
    return getOperationAST(document, name)?.operation === OperationTypeNode.QUERY;
  } catch (error) {
    if (error instanceof GraphQLError) return false;
    throw error;
  }
}

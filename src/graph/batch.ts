import { GraphQLError, getOperationAST, OperationTypeNode, parse } from 'graphql';
import { bounds } from './document-limit.js';

/**
 * Splits a batch into runs, which are executed one after the other. Adjacent queries form one run. A mutation, or an
 * operation that may be one, is a run of its own.
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

/** Whether an operation is certainly a query. One that is identified only by its hash is not. */
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

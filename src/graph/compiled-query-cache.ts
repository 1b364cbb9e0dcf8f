import { type DocumentNode, Kind, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { Run } from './execute.js';

/** Maximum number of characters of all cached documents. The least recently used are evicted first. */
const maxCharacters = 1024 * 1024;
/**
 * Maximum number of cached documents. A compiled document takes many times the memory of its text, even a short one.
 */
const maxQueries = 500;

/** A query that was parsed, validated and compiled. */
export interface CompiledQuery {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly run: Run;
}

/** A cached query with the variables of one request. */
export interface CachedQuery {
  query: CompiledQuery;
  variables: Record<string, unknown> | undefined;
}

/** Caches compiled queries by their text, so that the same text is parsed and validated once. */
export class CompiledQueryCache {
  private readonly queries = new Map<string, CompiledQuery>();
  private size = 0;

  /** Adds a query, unless its document has other operations. */
  add(text: string, query: CompiledQuery): void {
    const operations = query.document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    if (operations.length > 1 || query.operation.operation !== OperationTypeNode.QUERY) return;
    if (this.queries.has(text)) return;
    this.queries.set(text, query);
    this.size += text.length;
    for (const [oldest] of this.queries) {
      if (this.size <= maxCharacters && this.queries.size <= maxQueries) return;
      this.queries.delete(oldest);
      this.size -= oldest.length;
    }
  }

  /**
   * Returns the cached query that a request body names. Undefined when the query is not cached, the body asks for more
   * than one query, or a field has the wrong type.
   */
  find(body: unknown): CachedQuery | undefined {
    if (typeof body !== 'object' || body === null) return undefined;
    const { query: text, variables, operationName, extensions } = body as Record<string, unknown>;
    if (typeof text !== 'string' || extensions != null) return undefined;
    const query = this.queries.get(text);
    if (query === undefined || (operationName != null && operationName !== query.operation.name?.value))
      return undefined;
    if (variables != null && (typeof variables !== 'object' || Array.isArray(variables))) return undefined;
    this.queries.delete(text);
    this.queries.set(text, query);
    return { query, variables: (variables ?? undefined) as CachedQuery['variables'] };
  }
}

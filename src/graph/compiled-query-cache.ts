import { type DocumentNode, Kind, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { Run } from './execute.js';

/** Most characters of cached documents; the least recently used go first. */
const maxCharacters = 1024 * 1024;
/** Most cached documents: compiled, even a short one takes many times its text. */
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

/** The cache of compiled queries by their text: the same text is not parsed and validated again. */
export class CompiledQueryCache {
  private readonly queries = new Map<string, CompiledQuery>();
  private size = 0;

  /** Adds a query whose document has no other operation. */
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

  /** The cached query that a body asks for; undefined where it asks for more than a query, or a field has a wrong type. */
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

import { type DocumentNode, Kind, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { Run } from './execute.js';

/** Characters of documents that are kept; those that were not asked for longest go first. */
const room = 1024 * 1024;
/** So many at most: compiled, even a short one takes many times its text. */
const most = 500;

/** A query that was read and found good. */
export interface KnownQuery {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly run: Run;
}

/** An operation of a known query. */
export interface Known {
  query: KnownQuery;
  variables: Record<string, unknown> | undefined;
}

/** Queries by their text, so that the same text need not be read and checked again. */
export class KnownQueries {
  private readonly queries = new Map<string, KnownQuery>();
  private size = 0;

  /** Keeps a query whose document holds no other operation. */
  keep(text: string, query: KnownQuery): void {
    const operations = query.document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    if (operations.length > 1 || query.operation.operation !== OperationTypeNode.QUERY) return;
    if (this.queries.has(text)) return;
    this.queries.set(text, query);
    this.size += text.length;
    for (const [oldest] of this.queries) {
      if (this.size <= room && this.queries.size <= most) return;
      this.queries.delete(oldest);
      this.size -= oldest.length;
    }
  }

  /** The known query that a body asks for, where it asks for nothing beside and all in it has its right type. */
  find(body: unknown): Known | undefined {
    if (typeof body !== 'object' || body === null) return undefined;
    const { query: text, variables, operationName, extensions } = body as Record<string, unknown>;
    if (typeof text !== 'string' || extensions != null) return undefined;
    const query = this.queries.get(text);
    if (query === undefined || (operationName != null && operationName !== query.operation.name?.value))
      return undefined;
    if (variables != null && (typeof variables !== 'object' || Array.isArray(variables))) return undefined;
    this.queries.delete(text);
    this.queries.set(text, query);
    return { query, variables: (variables ?? undefined) as Known['variables'] };
  }
}

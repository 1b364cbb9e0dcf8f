import { createHash } from 'node:crypto';
import type { ApolloServerPlugin } from '@apollo/server';
import { InMemoryLRUCache, type KeyValueCache, PrefixingKeyValueCache } from '@apollo/utils.keyvaluecache';
import { GraphQLError, OperationTypeNode } from 'graphql';
import type { GraphContext } from './context.js';

/** Texts of persisted operations by their SHA-256 hash, in hexadecimal. Apollo stores what it has validated. */
export type PersistedTexts = KeyValueCache<string>;

/** Creates the store of texts. It evicts the least recently used ones beyond 30 MiB. */
export const createPersistedTexts = (): PersistedTexts =>
  PrefixingKeyValueCache.cacheDangerouslyDoesNotNeedPrefixesForIsolation(new InMemoryLRUCache<string>());

interface Sent {
  query?: unknown;
  extensions?: { persistedQuery?: { version?: unknown; sha256Hash?: unknown } };
}

/**
 * Replaces the hash of each persisted operation by its text. From then on the operation is weighed, ordered and cached
 * as one that was sent as text. A text that stands earlier in the same batch counts as stored. An unknown hash stays, and
 * Apollo answers it with `PERSISTED_QUERY_NOT_FOUND`.
 */
export async function resolvePersisted(bodies: readonly unknown[], texts: PersistedTexts): Promise<unknown[]> {
  const inBatch = new Map<string, string>();
  const resolved: unknown[] = [];
  for (const body of bodies) {
    const hash = hashOf(body);
    const { query } = (hash === undefined ? {} : body) as Sent;
    if (hash === undefined) resolved.push(body);
    else if (typeof query === 'string') {
      if (hash === createHash('sha256').update(query).digest('hex')) inBatch.set(hash, query);
      resolved.push(body);
    } else {
      const text = inBatch.get(hash) ?? (await texts.get(hash));
      resolved.push(text === undefined ? body : withText(body as Sent, text));
    }
  }
  return resolved;
}

/** Returns the hash that a body carries in a form that Apollo accepts. */
function hashOf(body: unknown): string | undefined {
  const { query, extensions } = (typeof body === 'object' && body !== null ? body : {}) as Sent;
  const { version, sha256Hash } = extensions?.persistedQuery ?? {};
  const isOther = query !== undefined && typeof query !== 'string';
  return version === 1 && typeof sha256Hash === 'string' && !isOther ? sha256Hash : undefined;
}

/** Returns a body with its text in place of the hash. Without other extensions, the operation can be cached. */
function withText({ extensions = {}, ...body }: Sent, query: string): Sent {
  const { persistedQuery: _, ...others } = extensions;
  return { ...body, query, ...(Object.keys(others).length > 0 && { extensions: others }) };
}

/** Whether only a hash was sent that is not known. */
export const isUnresolved = (body: unknown): boolean =>
  hashOf(body) !== undefined && (body as Sent).query === undefined;

/**
 * Refuses a mutation whose hash became known after the request was weighed: it would run without being counted. The
 * client sends the text then, as for an unknown hash.
 */
export const refuseUnweighed = (): ApolloServerPlugin<GraphContext> => ({
  async requestDidStart() {
    return {
      async didResolveOperation({ operation, request }) {
        if (request.query !== undefined || operation?.operation !== OperationTypeNode.MUTATION) return;
        throw new GraphQLError('PersistedQueryNotFound', {
          extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', http: { status: 200 } },
        });
      },
    };
  },
});

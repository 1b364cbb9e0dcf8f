import type { Client } from '@opensearch-project/opensearch';
import { errors } from '@opensearch-project/opensearch';

/** A query, an aggregation or any other part of a request in the engine's language. */
export type Part = { readonly [key: string]: unknown };

/** One search as it is sent. */
export interface EngineSearch {
  readonly index: string;
  readonly routing: string;
  readonly body: Part;
}

/** A hit of the engine. Whole numbers beyond 2^53 are BigInts. */
export interface EngineHit {
  readonly _id: string;
  readonly _source?: { readonly src?: string; readonly ig?: string | readonly string[] };
  readonly fields?: { readonly [name: string]: readonly unknown[] };
  readonly sort?: readonly unknown[];
}

/** The hits of an answer. */
export interface EngineHits {
  readonly total?: { readonly value: number; readonly relation: 'eq' | 'gte' };
  readonly hits: readonly EngineHit[];
}

/** A bucket, or the answers of aggregations at the top, by the names that we gave them. */
export interface EngineBucket {
  readonly doc_count?: number;
  readonly key?: unknown;
  readonly [name: string]: unknown;
}

/** What the engine says is wrong with a search. */
export interface EngineFault {
  readonly type?: string;
  readonly reason?: string;
  readonly root_cause?: readonly EngineFault[];
  readonly failed_shards?: readonly { readonly reason?: EngineFault }[];
  readonly caused_by?: EngineFault;
}

/** The engine's answer to one search. */
export interface EngineAnswer {
  readonly status: number;
  readonly error?: EngineFault;
  readonly timed_out?: boolean;
  readonly _shards?: { total: number; successful: number; skipped?: number; failed: number };
  readonly hits?: EngineHits;
  readonly aggregations?: EngineBucket;
}

/** How long to wait, and for whom. */
export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes of one answer of the engine at most. */
const maxAnswerBytes = 256 * 1024 * 1024;

/** Sends searches together; the answers are in their order. Aborting closes the connection, which cancels them. */
export const askEngine = async (
  client: Client,
  searches: readonly EngineSearch[],
  { timeoutMs, signal }: AskOptions,
): Promise<readonly EngineAnswer[]> => {
  if (searches.length === 0) return [];
  signal?.throwIfAborted();
  const lines = searches.flatMap(({ index, routing, body }) => [
    { index, routing, ignore_unavailable: true, allow_no_indices: true },
    body,
  ]);
  const asked = client.msearch(
    { body: lines as never } as never,
    {
      requestTimeout: Math.ceil(timeoutMs),
      maxResponseSize: maxAnswerBytes,
    } as never,
  );
  const leave = () => asked.abort();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    const { body } = (await asked) as unknown as { body: { responses: EngineAnswer[] } };
    return body.responses;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', leave);
  }
};

/** Whether the engine took longer to answer than it was given. */
export const isLate = (error: unknown): boolean => error instanceof errors.TimeoutError;

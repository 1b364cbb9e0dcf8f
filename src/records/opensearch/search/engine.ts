import type { Client } from '@opensearch-project/opensearch';
import { unavailable } from '../../../errors.js';
import { TimedOut } from '../../../search/pace.js';
import { isUnavailable } from '../client.js';

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
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends searches together; the answers are in their order. Aborting closes the connection, which cancels them.
 * @throws TimedOut at the deadline; the signal's reason; UNAVAILABLE where the cluster cannot be reached.
 */
export const askEngine = async (
  client: Client,
  searches: readonly EngineSearch[],
  { deadline, signal }: AskOptions,
): Promise<readonly EngineAnswer[]> => {
  signal?.throwIfAborted();
  const lines = searches.flatMap(({ index, routing, body }) => [
    { index, routing, ignore_unavailable: true, allow_no_indices: true },
    body,
  ]);
  const late = AbortSignal.timeout(Math.max(0, Math.ceil(deadline - performance.now())));
  const over = signal ? AbortSignal.any([signal, late]) : late;
  const asked = client.msearch({ body: lines as never });
  // It answers the request itself, which a listener must not: what rejects it would end the process.
  const abort = () => {
    asked.abort();
  };
  over.addEventListener('abort', abort, { once: true });
  try {
    const { body } = await asked;
    return body.responses as unknown as readonly EngineAnswer[];
  } catch (error) {
    signal?.throwIfAborted();
    if (late.aborted) throw new TimedOut();
    throw isUnavailable(error) ? away() : error;
  } finally {
    over.removeEventListener('abort', abort);
  }
};

const away = () => unavailable('The service cannot reach the cluster that records are searched on. Try again shortly.');

import { TimedOut } from '#search/pace.js';
import type { ClusterClient } from './client.js';
import type { IndexNames } from './indices.js';
import { clusterUnreachable, multiSearch } from './multi-search.js';

/** A query, an aggregation or another part of a request in the engine's language. */
export type Part = { readonly [key: string]: unknown };

/** A hit of the engine. Whole numbers beyond 2^53 are BigInts. */
export interface EngineHit {
  readonly _id: string;
  readonly _source?: { readonly src?: string; readonly ig?: string | readonly string[] };
  readonly fields?: { readonly [name: string]: readonly unknown[] };
  readonly sort?: readonly unknown[];
  readonly matched_queries?: readonly string[];
}

/** The hits of an answer. */
export interface EngineHits {
  readonly total?: { readonly value: number; readonly relation: 'eq' | 'gte' };
  readonly hits: readonly EngineHit[];
}

/** A bucket, or the top-level aggregations of an answer, by the names in the request. */
export interface EngineBucket {
  readonly doc_count?: number;
  readonly key?: unknown;
  readonly [name: string]: unknown;
}

/** The engine's error for a search. */
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

/** A complete answer. */
export interface WholeAnswer extends EngineAnswer {
  readonly hits: EngineHits;
}

/** Organization and time limit of a request. */
export interface EngineCall {
  readonly organizationId: string;
  /** Time on the clock of `performance.now()`. */
  readonly deadline: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Time range that selects the months to search: Unix seconds, both included; null for an open end. Queries themselves
 * restrict the matches within these months.
 */
export interface EngineRange {
  readonly from: number | null;
  readonly to: number | null;
}

/** One search of a request. */
export interface EngineSearch extends EngineRange {
  readonly body: Part;
  /** Maximum duration of this search, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Queries the cluster: all searches of a call in one request, answered in order. The request is abandoned at the
 * deadline and when nobody waits any more, which closes the connection and so cancels the searches.
 */
export interface Engine {
  /**
   * Resolves when searches of an organization find everything that they must find. Called once, before places and
   * documents are read.
   */
  fresh(organizationId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Runs searches. Each answer contains its own errors, timeouts and failed shards, for callers that can report them.
   * @throws TimedOut at the deadline; the signal's reason; ApiError 503 if the cluster cannot be reached
   */
  ask(call: EngineCall, searches: readonly EngineSearch[]): Promise<readonly EngineAnswer[]>;
  /**
   * Runs searches over an organization's documents only, for callers that need complete answers.
   * @throws like {@link ask}, and ApiError 503 if a part of the index does not answer, because the rest would look
   * complete
   */
  search(call: EngineCall & EngineRange, bodies: readonly Part[]): Promise<WholeAnswer[]>;
}

export interface EngineOptions {
  client: ClusterClient;
  names: IndexNames;
  fresh: Engine['fresh'];
}

export const createEngine = ({ client, names, fresh }: EngineOptions): Engine => {
  const ask: Engine['ask'] = async (call, searches) => {
    call.signal?.throwIfAborted();
    if (searches.length === 0) return [];
    const left = Math.ceil(call.deadline - performance.now());
    if (left <= 0) throw new TimedOut();
    const lines = searches.map(({ from, to, body, timeoutMs = left }) => ({
      index: names.between(from, to),
      routing: call.organizationId,
      body: { ...body, timeout: `${Math.min(left, timeoutMs)}ms` },
    }));
    return multiSearch<EngineAnswer>(client, lines, { milliseconds: left, signal: call.signal });
  };
  return {
    fresh,
    ask,
    async search({ from, to, ...call }, bodies) {
      const own = { term: { o: call.organizationId } };
      const searches = bodies.map((body) => ({ from, to, body: { ...body, query: within(body, own) } }));
      return (await ask(call, searches)).map(whole);
    },
  };
};

/** Restricts the query of a search to one organization's documents: others may have the same routing. */
const within = ({ query }: Part, own: Part): Part => ({
  bool: { filter: query === undefined ? [own] : [own, query] },
});

const whole = (answer: EngineAnswer): WholeAnswer => {
  const { error, status, timed_out: isLate, _shards: shards } = answer;
  if (error !== undefined) {
    // Nodes that have just come back have shards that do not answer yet, with statuses such as 500 and 404.
    if (status === 429 || status === 404 || status >= 500) throw clusterUnreachable();
    const [cause = error] = error.root_cause ?? [];
    throw new Error(`The cluster refused a search (${status}): ${cause.type}: ${cause.reason}`);
  }
  if (isLate) throw new TimedOut();
  if (shards !== undefined && shards.failed > 0) throw clusterUnreachable();
  return answer as WholeAnswer;
};

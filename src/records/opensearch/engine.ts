import type { Client } from '@opensearch-project/opensearch';
import { unavailable } from '../../errors.js';
import { TimedOut } from '../../search/pace.js';
import { isUnavailable } from './client.js';
import type { IndexNames } from './indices.js';

/** Of whose documents something is asked, and how long that may take. */
export interface EngineCall {
  organizationId: string;
  /** Unix seconds between which documents are looked for, both included; null is open. */
  from: number | null;
  to: number | null;
  /** On the clock of `performance.now()`. */
  deadline: number;
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal | undefined;
}

/** A document of an answer. */
export interface EngineHit {
  _id: string;
  _source?: { src: string };
  fields?: Readonly<Record<string, unknown[]>>;
  sort?: readonly (number | string)[];
}

/** What a search found. */
export interface EngineAnswer {
  hits: { total?: { value: number }; hits: EngineHit[] };
  aggregations?: Readonly<Record<string, unknown>>;
}

/** Asks the cluster. */
export interface Engine {
  /** Resolves when searches of an organization find what they are to find. Called once, before places and documents are read. */
  fresh(organizationId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Answers searches of an organization's documents, all in one request and in their order.
   * @throws TimedOut at the deadline; the signal's reason; UNAVAILABLE where not all of the index answers: what is left would
   * look like the whole.
   */
  search(call: EngineCall, bodies: readonly object[]): Promise<EngineAnswer[]>;
}

/** What the cluster is asked with. */
export interface EngineOptions {
  client: Client;
  names: IndexNames;
  fresh: Engine['fresh'];
}

interface Response extends EngineAnswer {
  timed_out: boolean;
  _shards: { failed: number };
  status: number;
  error?: { type: string; reason: string };
}

/** Opens the asking. */
export const createEngine = ({ client, names, fresh }: EngineOptions): Engine => ({
  fresh,
  async search(call, bodies) {
    if (bodies.length === 0) return [];
    const { organizationId, from, to, deadline } = call;
    const header = {
      index: names.between(from, to),
      routing: organizationId,
      ignore_unavailable: true,
      allow_no_indices: true,
    };
    const left = Math.max(1, Math.ceil(deadline - performance.now()));
    const filter = { term: { o: organizationId } };
    const lines = bodies.flatMap((body) => [header, { timeout: `${left}ms`, ...within(body, filter) }]);
    const { body } = await inTime(client.msearch({ body: lines as never }), call);
    return (body.responses as unknown as Response[]).map(whole);
  },
});

/** A search of one organization's documents: others may have the same routing. */
const within = (body: { query?: object }, filter: object): object => ({
  ...body,
  query: { bool: { filter: [filter, ...(body.query ? [body.query] : [])] } },
});

const away = () => unavailable('The service cannot reach the cluster that records are searched on. Try again shortly.');

const whole = (response: Response): EngineAnswer => {
  const { error, status, timed_out: isLate, _shards: shards } = response;
  if (error !== undefined) {
    if (status === 429 || status >= 502) throw away();
    throw new Error(`The cluster refused a search: ${error.type}: ${error.reason}`);
  }
  if (isLate) throw new TimedOut();
  if (shards.failed > 0) throw away();
  return response;
};

interface Abortable<T> extends Promise<T> {
  abort(): void;
}

/** What a request answers; it is given up at the deadline, or when nobody waits for it any more. */
const inTime = async <T>(request: Abortable<T>, { deadline, signal }: EngineCall): Promise<T> => {
  const late = AbortSignal.timeout(Math.max(0, Math.ceil(deadline - performance.now())));
  const over = signal ? AbortSignal.any([signal, late]) : late;
  // It answers the request itself, which a listener must not: what rejects it would end the process.
  const abort = () => {
    request.abort();
  };
  over.addEventListener('abort', abort, { once: true });
  if (over.aborted) abort();
  try {
    return await request;
  } catch (error) {
    signal?.throwIfAborted();
    if (late.aborted) throw new TimedOut();
    throw isUnavailable(error) ? away() : error;
  } finally {
    over.removeEventListener('abort', abort);
  }
};

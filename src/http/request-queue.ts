import type { Caller } from '#entities/caller.js';
import { FairQueue } from '#scheduling/fair-queue.js';
import { timeSlices } from '#scheduling/time-slice.js';
import type { Ending } from './ending.js';

/** Kinds of requests, each with a queue of its own: a request never waits for those of another kind. */
export type RequestKind = 'export' | 'graph' | 'ingest' | 'rest' | 'search';

/**
 * Waits until a request of the organization, whose body has been read, may start. The request holds its slot until its
 * answer is closed.
 * @throws rateLimited when too many requests wait already; the reason of the abort when the client is gone.
 */
export type Enter = (kind: RequestKind, caller: Pick<Caller, 'organizationId'>, response: Ending) => Promise<void>;

/** Maximum number of waiting requests per organization and kind. */
const maxWaiting = 1000;

/**
 * Limits how many requests of one organization run at once, which bounds the organization's share of the event loop.
 * @param perOrganization maximum of running requests per kind. Ingestion may run four times as many, because those
 * share transactions.
 */
export const createRequestQueue = (perOrganization: number): Enter => {
  const open = (what: string, each = perOrganization) =>
    new FairQueue({ turns: Number.POSITIVE_INFINITY, each, waiting: maxWaiting, what });
  const queues: Readonly<Record<RequestKind, FairQueue>> = {
    // An export keeps the event loop busy for a long time, so fewer exports run at once.
    export: open('exports', Math.max(1, Math.floor(perOrganization / 8))),
    graph: open('requests of the graph'),
    ingest: open('calls that post records', 4 * perOrganization),
    rest: open('requests'),
    search: open('searches'),
  };
  return async (kind, { organizationId }, response) => {
    const queue = queues[kind];
    const release = queue.takeFree(organizationId) ?? (await waitTurn(queue, organizationId, response));
    if (response.closed) release();
    else response.once('close', release);
    await timeSlices.ifOver(organizationId);
  };
};

const waitTurn = async (queue: FairQueue, organizationId: string, response: Ending) => {
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  try {
    return await queue.take(organizationId, gone.signal);
  } finally {
    response.removeListener('close', leave);
  }
};

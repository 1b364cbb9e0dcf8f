import type { Caller } from '../entities/caller.js';
import { FairQueue } from '../fair-queue.js';
import { timeSlices } from '../time-slice.js';
import type { Ending } from './ending.js';

/** Requests that share a limit: those of one kind never wait for those of another. */
export type RequestKind = 'export' | 'graph' | 'ingest' | 'rest' | 'search';

/**
 * Waits until a request of the organization, whose body has come, may begin. It is under way until its answer is closed.
 * @throws ApiError RATE_LIMITED where too many wait already; the reason of the abort where the client is gone.
 */
export type Enter = (kind: RequestKind, caller: Pick<Caller, 'organizationId'>, response: Ending) => Promise<void>;

/** Requests of one organization and kind that wait, at most. */
const maxWaiting = 1000;

/**
 * Limits how many requests of one organization are worked on at once, so that its share of the event loop is bounded.
 * @param perOrganization requests of one kind under way at once; of ingestion four times as many, because they share transactions.
 */
export const createRequestQueue = (perOrganization: number): Enter => {
  const open = (what: string, each = perOrganization) =>
    new FairQueue({ turns: Number.POSITIVE_INFINITY, each, waiting: maxWaiting, what });
  const queues: Readonly<Record<RequestKind, FairQueue>> = {
    // Each lasts long, and works all the time.
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

import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, invalid, rateLimited, timedOut, unavailable } from '#common/errors.js';
import { locate } from '#json/json.js';
import type { Hit, QueryAnswer, RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import type { ExportArgs } from '#schema/export.args.js';
import type { ExportPosition } from './cursor.js';

/** Selects the records to read: those after a position, up to a time, with sequence numbers up to the horizon. */
export interface PageRequest {
  readonly args: ExportArgs;
  readonly after: ExportPosition;
  /** Time in microseconds since 1970, included. */
  readonly until: number;
  readonly horizon: string;
  readonly size: number;
}

/** A page, or `smaller` if it has to be smaller because it took too long or is too large for memory. */
export type ExportedPage = readonly Hit[] | 'smaller';

/** Reads a page by one search, which uses the same queue and memory budget as every other search. */
export const readPage = async (
  index: Pick<RecordIndex, 'prepare'>,
  { args, after, until, horizon, size }: PageRequest,
  { position, signal }: Pick<Context, 'position' | 'signal'>,
): Promise<ExportedPage> => {
  const { organizationId, applicationId, products, query } = args;
  const asked = {
    products: products ?? [],
    query: { bool: { filter: [...(query == null ? [] : [query]), { range: { _doc: { lte: horizon } } }] } },
    sort: [{ ts: 'asc' }, { _doc: 'asc' }],
    search_after: [after.micros / 1e6, after.seq],
    size,
    track_total_hits: false,
  };
  const ask = index.prepare(locate({ gte: after.micros / 1e6, lte: until / 1e6 }), locate([asked]));
  const [answer] = (await ask({ organizationId, applicationId, position, signal })).responses;
  return exportPage(answer!, size);
};

const exportPage = (answer: QueryAnswer, size: number): ExportedPage => {
  if ('error' in answer) {
    const { status, error } = answer;
    if (status === 429) throw rateLimited(error.reason, 1);
    // The search rejects a page that is too large in the same way as an invalid query. A retry with a smaller page
    // tells the two apart.
    if (size > 1) return 'smaller';
    throw invalid([{ path: 'query', message: error.reason }]);
  }
  if (answer.timed_out) {
    if (size > 1) return 'smaller';
    throw timedOut();
  }
  if (answer._shards.failed > 0) throw unavailable('A part of the index does not answer. Try again shortly.');
  return answer.hits.hits;
};

/** Maximum number of attempts at a read, and maximum wait between them, in milliseconds. */
const tries = 8;
const longestPause = 5000;

/**
 * Reads, and retries if the organization has too much in progress or a store is briefly unavailable. Part of the file
 * was already sent, so an error would force the client to resume the export.
 */
export const patiently = async <T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (let tried = 1; ; tried++) {
    try {
      return await read();
    } catch (error) {
      const passes = error instanceof ApiError && (error.code === 'RATE_LIMITED' || error.code === 'UNAVAILABLE');
      if (!passes || tried === tries) throw error;
      await delay(Math.min(longestPause, 100 * 2 ** tried), undefined, { signal });
    }
  }
};

import { unavailable } from '../../errors.js';
import { TimedOut } from '../../search/pace.js';
import { type ClusterClient, isUnavailable } from './client.js';

/** One search of a request. */
interface Line {
  /** Names of indices, separated by commas, or a pattern. Those that are not there are empty. */
  readonly index: string;
  readonly routing: string;
  readonly body: object;
}

/** How long to wait, and for whom. */
interface Wait {
  readonly milliseconds: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal | undefined;
}

/** Searches are sent so many times at most where nodes get stuck one after another. */
const maxSent = 3;
/** What the engine is late by is for it to say, not for its connection. Milliseconds. */
const grace = 1000;

/**
 * Sends searches together; the answers are in their order. Aborting closes the connection, which cancels them. Where a node is
 * found stuck meanwhile, they are sent once more: any of them may wait for it.
 * @throws TimedOut when the time is over; the signal's reason; UNAVAILABLE where the cluster cannot be reached.
 */
export const multiSearch = async <Answer>(
  client: ClusterClient,
  searches: readonly Line[],
  { milliseconds, signal }: Wait,
): Promise<readonly Answer[]> => {
  const late = AbortSignal.timeout(milliseconds);
  const over = signal ? AbortSignal.any([signal, late]) : late;
  for (let sent = 1; ; sent++) {
    const { preference, stuck } = client.watch.now;
    const lines = searches.flatMap(({ index, routing, body }) => [
      { index, routing, ignore_unavailable: true, allow_no_indices: true, ...(preference && { preference }) },
      body,
    ]);
    const asked = client.msearch({ body: lines as never }, { requestTimeout: milliseconds + grace });
    const ends = sent < maxSent ? AbortSignal.any([over, stuck]) : over;
    // It answers the request itself, which a listener must not: what rejects it would end the process.
    const abort = () => {
      asked.abort();
    };
    ends.addEventListener('abort', abort, { once: true });
    try {
      const { body } = (await asked) as { body: unknown };
      const { responses } = (body ?? {}) as { responses?: readonly Answer[] };
      // Something between here and the cluster answers in its place.
      if (responses?.length !== searches.length) throw away();
      return responses;
    } catch (error) {
      signal?.throwIfAborted();
      if (late.aborted) throw new TimedOut();
      if (!ends.aborted) throw isUnavailable(error) ? away() : error;
    } finally {
      ends.removeEventListener('abort', abort);
    }
  }
};

/** What a caller is told while the cluster cannot be reached. */
export const away = () =>
  unavailable('The service cannot reach the cluster that records are searched on. Try again shortly.');

import { unavailable } from '#common/errors.js';
import { TimedOut } from '#search/pace.js';
import { type ClusterClient, isUnavailable } from './client.js';

/** One search of a request. */
interface Line {
  /** Names of indices separated by commas, or a pattern. Missing indices count as empty. */
  readonly index: string;
  readonly routing: string;
  readonly body: object;
}

/** Time limit and signal of a request. */
interface Wait {
  readonly milliseconds: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal | undefined;
}

/** Maximum number of times that searches are sent while nodes get stuck one after another. */
const maxSent = 3;
/** Additional time of the connection, in milliseconds, so that the engine itself can report that it is late. */
const grace = 1000;

/**
 * Sends searches together and returns their answers in order. Aborting closes the connection, which cancels them. If a
 * node turns out to be stuck meanwhile, the searches are sent again, because any of them may wait for that node.
 * @throws TimedOut at the time limit; the signal's reason; ApiError 503 if the cluster cannot be reached
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
    // `abort()` returns the request itself. A listener must not return it: its rejection would end the process.
    const abort = () => {
      asked.abort();
    };
    ends.addEventListener('abort', abort, { once: true });
    try {
      const { body } = (await asked) as { body: unknown };
      const { responses } = (body ?? {}) as { responses?: readonly Answer[] };
      // A proxy in front of the cluster has answered instead.
      if (responses?.length !== searches.length) throw clusterUnreachable();
      return responses;
    } catch (error) {
      signal?.throwIfAborted();
      if (late.aborted) throw new TimedOut();
      if (!ends.aborted) throw isUnavailable(error) ? clusterUnreachable() : error;
    } finally {
      ends.removeEventListener('abort', abort);
    }
  }
};

/** Creates the error for a cluster that cannot be reached. */
export const clusterUnreachable = () =>
  unavailable('The service cannot reach the cluster that records are searched on. Try again shortly.');

import type { Times } from '#records/answer/hit.js';
import type { SearchCall } from '#records/record-index.js';
import type { CallSnapshot } from '#records/scope/snapshot.js';
import type { TimeRange } from '#search/envelope.js';
import type { Pace } from '#search/pace.js';
import type { ClusterSearchOptions } from './option.js';

/** Context for answering the queries of a call. */
export interface CallWork {
  readonly options: Pick<ClusterSearchOptions, 'engine' | 'places' | 'timeoutMs'>;
  readonly call: SearchCall;
  readonly range: TimeRange;
  readonly times: Times;
  /** Meaning of `now`, in milliseconds since 1970. */
  readonly now: number;
  /**
   * Reads from PostgreSQL. No connection is held while the cluster is queried, which may take seconds. Reads that a
   * reading leaves unfinished keep their connection until they end.
   */
  readonly reading: <T>(read: (snapshot: CallSnapshot, leave: Leave) => Promise<T>) => Promise<T>;
  readonly pace: Pace;
  readonly weigh: (bytes: number) => void;
  /** Returns the milliseconds since the call began. */
  readonly took: () => number;
}

/** Registers a read that continues after its reading has ended. */
type Leave = (underWay: Promise<unknown> | undefined) => void;

import type { TimeRange } from '../../../search/envelope.js';
import type { Pace } from '../../../search/pace.js';
import type { Times } from '../../answer/hit.js';
import type { Snapshot } from '../../postgres/search/snapshot.js';
import type { SearchCall } from '../../record-index.js';
import type { ClusterSearchOptions } from './option.js';

/** What the queries of a call are answered with. */
export interface CallWork {
  readonly options: Pick<ClusterSearchOptions, 'engine' | 'places' | 'timeoutMs'>;
  readonly call: SearchCall;
  readonly range: TimeRange;
  readonly times: Times;
  /** The instant that `now` means, in milliseconds. */
  readonly now: number;
  /**
   * Reads from PostgreSQL. No connection is held while the cluster is asked, which may take seconds; but what a reading leaves
   * under way is read to its end.
   */
  readonly reading: <T>(read: (snapshot: Snapshot, leave: Leave) => Promise<T>) => Promise<T>;
  readonly pace: Pace;
  readonly weigh: (bytes: number) => void;
  /** Milliseconds since the call began. */
  readonly took: () => number;
}

/** Told of what is still being read when a reading is over. */
type Leave = (underWay: Promise<unknown> | undefined) => void;

import type pg from 'pg';
import type { PlainJson } from '../json.js';
import type { FilterHealth } from './filter-health.js';
import type { StoredRecord } from './message.js';

/** All queries of the filters of one transaction may take this long together, one of them this long. Milliseconds. */
const totalTimeout = 1000;
const queryTimeout = 500;
/** With less than this left no query is asked. */
const minTimeout = 20;

/** Which records a hook is called with; all, where nothing is said. */
export interface Filter {
  products?: readonly string[] | null;
  tags?: readonly string[] | null;
  /** What a search takes as a query. */
  query?: PlainJson;
}

/** A hook that hears of a device. */
export interface Listener {
  hookId: string;
  applicationId: string;
  organizationId: string;
  ordered: boolean;
  filter: Filter | null;
  /** Transactions in a row in which the query of its filter ran out of time. */
  filterTimeouts: number;
  deviceId: string;
  /** Tags of the device, as they stand. */
  tags: readonly string[];
}

/** How a query was answered. */
export interface Matched {
  /** The records that match, and those of which that cannot be said. */
  ids: ReadonlySet<string>;
  /** Of these, how many could not be said. */
  unanswered: number;
  /** Whether that is because the query ran out of time. */
  timedOut: boolean;
}

/**
 * Of records that a transaction has stored, the identifiers of those that a query matches within so many milliseconds, `now` being
 * those since 1970. The record log does it.
 */
export type MatchRecords = (
  tx: pg.PoolClient,
  query: PlainJson,
  records: readonly StoredRecord[],
  limits: { now: number; timeoutMs: number },
) => Promise<Matched>;

/** Whether a hook wants a record, its query aside: each part of its filter that is given must hold; an empty list is as good as none. */
export function passes({ filter, tags }: Listener, { device }: StoredRecord): boolean {
  if (!filter) return true;
  const { products, tags: wanted } = filter;
  if (products?.length && !(device.product && products.includes(device.product.id))) return false;
  return !wanted?.length || wanted.some((tag) => tags.includes(tag));
}

/** Those of listeners whose filter has a query. */
export const withQuery = (listeners: readonly Listener[]): readonly Listener[] =>
  listeners.filter(({ filter }) => filter?.query != null);

/**
 * For each hook whose filter has a query, the records that it matches, of those that pass the rest of the filter. All queries
 * share one budget of time, those first that kept to theirs before. What is not answered within it matches: a filter
 * never loses records.
 */
export async function matchesOf(
  tx: pg.PoolClient,
  listeners: readonly Listener[],
  records: readonly StoredRecord[],
  { now, match, health }: { now: number; match: MatchRecords; health: FilterHealth },
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const matches = new Map<string, ReadonlySet<string>>();
  const hooks = [...Map.groupBy(withQuery(listeners), ({ hookId }) => hookId)].toSorted(
    ([, [a]], [, [b]]) => a!.filterTimeouts - b!.filterTimeouts,
  );
  const end = performance.now() + totalTimeout;
  for (const [hookId, ofHook] of hooks) {
    const byDevice = new Map(ofHook.map((listener) => [listener.deviceId, listener]));
    const passing = records.filter((record) => {
      const listener = byDevice.get(record.device.id);
      return listener !== undefined && passes(listener, record);
    });
    if (passing.length === 0) continue;
    const timeoutMs = Math.floor(Math.min(queryTimeout, end - performance.now()));
    if (timeoutMs < minTimeout) {
      health.unanswered(hookId, passing.length);
      continue;
    }
    const { filter, filterTimeouts } = ofHook[0]!;
    const { ids, unanswered, timedOut } = await match(tx, filter!.query!, passing, { now, timeoutMs });
    if (unanswered > 0) health.unanswered(hookId, unanswered);
    if (timedOut) health.timedOut(hookId);
    else if (filterTimeouts > 0) health.inTime(hookId);
    matches.set(hookId, ids);
  }
  return matches;
}

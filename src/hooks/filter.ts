import type pg from 'pg';
import type { PlainJson } from '#json/json.js';
import type { FilterHealth } from './filter-health.js';
import type { HookRecord } from './message.js';

/** Maximum time of all filter queries of one transaction together, and of one query. Milliseconds. */
const totalTimeout = 1000;
const queryTimeout = 500;
/** Minimum time left for a query to run, in milliseconds. */
const minTimeout = 20;

/** Selects the records that a hook is called with. An empty filter selects all. */
export interface Filter {
  products?: readonly string[] | null;
  tags?: readonly string[] | null;
  /** A query as in a search. */
  query?: PlainJson;
}

/** A hook that receives the records of a device. */
export interface Listener {
  hookId: string;
  applicationId: string;
  organizationId: string;
  ordered: boolean;
  filter: Filter | null;
  /** Number of consecutive transactions in which the query of its filter timed out. */
  filterTimeouts: number;
  deviceId: string;
  /** Current tags of the device. */
  tags: readonly string[];
}

/** Answer to a filter query. */
export interface FilterMatches {
  /** Identifiers of the records that match, and of those that could not be decided. */
  ids: ReadonlySet<string>;
  /** Number of records that could not be decided. */
  unanswered: number;
  /** Whether they could not be decided because of a timeout. */
  timedOut: boolean;
}

/**
 * Matches a filter query against records that the transaction has stored. `timeoutMs` is the deadline; `now` is
 * milliseconds since 1970. The record store implements it.
 */
export type MatchRecords = (
  tx: pg.PoolClient,
  query: PlainJson,
  records: readonly HookRecord[],
  limits: { now: number; timeoutMs: number },
) => Promise<FilterMatches>;

/**
 * Whether a filter passes a record, apart from its query. Each given part must hold; an empty list counts as absent.
 */
export function passes({ filter, tags }: Listener, { device }: HookRecord): boolean {
  if (!filter) return true;
  const { products, tags: wanted } = filter;
  if (products?.length && !(device.product && products.includes(device.product.id))) return false;
  return !wanted?.length || wanted.some((tag) => tags.includes(tag));
}

/** Returns the listeners whose filter has a query. */
export const withQuery = (listeners: readonly Listener[]): readonly Listener[] =>
  listeners.filter(({ filter }) => filter?.query != null);

/**
 * Returns, for each hook whose filter has a query, the matching ones of the records that pass the rest of the filter.
 * All queries share one time budget; those with the fewest recent timeouts run first. Records that no query decided in
 * time count as matching: a filter never loses records.
 */
export async function matchesOf(
  tx: pg.PoolClient,
  listeners: readonly Listener[],
  records: readonly HookRecord[],
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

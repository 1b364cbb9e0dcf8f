import { createHorizon } from '../postgres/search/list.js';
import { requireAnswerable } from '../postgres/search/match.js';
import type { RecordIndexOptions } from '../postgres/search/postgres-index.js';
import { createSearch } from '../postgres/search/postgres-search.js';
import type { RecordIndex } from '../record-index.js';
import type { ClusterClient } from './client.js';
import { createEngine } from './engine.js';
import type { IndexNames } from './indices.js';
import { createClusterLatest } from './latest.js';
import { createClusterFind, createClusterList, createClusterNewestTimes } from './list.js';
import type { FieldPlaces } from './place.js';
import { createClusterSearch } from './search/cluster-search.js';
import { createClusterGroupSeries } from './series/group.js';
import { createClusterSeries } from './series/series.js';
import { createClusterStates } from './series/states.js';
import { createClusterSilentDevices } from './silent-device.js';

/** Dependencies of the index: the cluster, and PostgreSQL for devices, products and the catalogue of fields. */
export interface ClusterIndexOptions extends RecordIndexOptions {
  client: ClusterClient;
  names: IndexNames;
  places: FieldPlaces;
  /**
   * Called before a search. If searches must find everything acknowledged before them, it resolves when the
   * organization's records are found; else at once.
   */
  fresh(organizationId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when searches find all records of the organization that were stored before, whether or not searches are
   * configured to wait.
   */
  caughtUp(organizationId: string, signal?: AbortSignal): Promise<void>;
}

/** Creates the index of records on an OpenSearch cluster. */
export const createClusterIndex = (options: ClusterIndexOptions): RecordIndex => {
  const { pool, readPool, checkPool, reads, places, clock, timeoutMs, caughtUp } = options;
  const horizon = createHorizon(reads);
  const engine = createEngine(options);
  const lists = { engine, reads, timeoutMs };
  return {
    find: createClusterFind(lists),
    list: createClusterList(lists),
    newestTimes: createClusterNewestTimes(lists),
    silentDevices: createClusterSilentDevices({ engine, reads, clock }),
    horizon: async (call) => {
      const last = await horizon(call);
      await caughtUp(call.caller.organizationId, call.signal);
      return last;
    },
    close: () => pool.end(),
    ...createClusterSearch({ ...options, engine }),
    // The fields are in PostgreSQL: products and the catalogue.
    fields: createSearch(options).fields,
    series: createClusterSeries({ engine, pool: readPool, places, clock, timeoutMs }),
    states: createClusterStates({ engine, pool: readPool, places, clock, timeoutMs }),
    groupSeries: createClusterGroupSeries({ ...options, engine }),
    latest: createClusterLatest({ engine, pool: readPool, places, clock, timeoutMs }),
    check: (application, query) => requireAnswerable(checkPool, query, { ...application, path: 'query', now: clock() }),
  };
};

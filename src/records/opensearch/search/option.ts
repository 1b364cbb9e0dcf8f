import type { SearchOptions } from '#records/postgres/search/postgres-search.js';
import type { Engine } from '../engine.js';
import type { FieldPlaces } from '../place.js';

/** Dependencies of the search: PostgreSQL for devices, products and fields, and the cluster for records. */
export interface ClusterSearchOptions extends SearchOptions {
  readonly engine: Engine;
  readonly places: FieldPlaces;
}

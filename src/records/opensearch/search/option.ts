import type { Client } from '@opensearch-project/opensearch';
import type { SearchOptions } from '../../postgres/search/search.js';
import type { IndexNames } from '../indices.js';
import type { Places } from '../place.js';

/** What the search works with: PostgreSQL for devices, products and fields, and the cluster for records. */
export interface ClusterSearchOptions extends SearchOptions {
  readonly client: Client;
  readonly names: IndexNames;
  readonly places: Places;
  /** Resolves when the organization's records are found that are to be found. */
  fresh(organizationId: string, signal?: AbortSignal): Promise<void>;
}

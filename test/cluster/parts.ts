import type { Client } from '@opensearch-project/opensearch';
import type { Pool } from 'pg';
import { readConfig } from '#config/config.js';
import { BulkWriter } from '#records/opensearch/bulk.js';
import { createClient } from '#records/opensearch/client.js';
import { createMapping } from '#records/opensearch/cluster-mapping.js';
import { DocumentMaker } from '#records/opensearch/document-maker.js';
import { createFreshness } from '#records/opensearch/freshness.js';
import { indexNames } from '#records/opensearch/indices.js';
import type { ClusterLogOptions } from '#records/opensearch/log/options.js';
import { FieldPlaces } from '#records/opensearch/place.js';
import { recordIndexSettings } from '../support/record-index.js';

/** Opens the parts that index maintenance needs, on a test's database and indices. The caller closes the client. */
export const openParts = (pool: Pool, databaseUrl: string): ClusterLogOptions & { client: Client } => {
  const client = createClient({ nodes: process.env['OPENSEARCH_URL']!.split(','), caFile: undefined });
  const { cluster: config } = readConfig(recordIndexSettings(databaseUrl));
  const names = indexNames(config!.prefix);
  const { mapPlaces } = createMapping(client, config!, pool);
  return {
    pool,
    client,
    names,
    writer: new BulkWriter(client),
    maker: new DocumentMaker(pool, new FieldPlaces(pool, mapPlaces), names),
    fresh: createFreshness({ pool, client, names, wake: () => undefined }),
  };
};

import type { Client } from '@opensearch-project/opensearch';
import type { Pool } from 'pg';
import { BulkWriter } from '#records/opensearch/bulk.js';
import { createClient } from '#records/opensearch/client.js';
import { DocumentMaker } from '#records/opensearch/document-maker.js';
import { createFreshness } from '#records/opensearch/freshness.js';
import { indexNames } from '#records/opensearch/indices.js';
import type { ClusterLogOptions } from '#records/opensearch/log/options.js';
import { Places } from '#records/opensearch/place.js';

/** Opens the parts that index maintenance needs, on a test's database and indices. The caller closes the client. */
export const openParts = (pool: Pool, databaseUrl: string): ClusterLogOptions & { client: Client } => {
  const client = createClient({ nodes: process.env['OPENSEARCH_URL']!.split(','), caFile: undefined });
  const names = indexNames(new URL(databaseUrl).pathname.slice(1));
  return {
    pool,
    client,
    names,
    writer: new BulkWriter(client),
    maker: new DocumentMaker(pool, new Places(pool), names),
    fresh: createFreshness({ pool, client, names, wake: () => undefined }),
  };
};

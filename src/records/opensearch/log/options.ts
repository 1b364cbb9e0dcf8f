import type { Client } from '@opensearch-project/opensearch';
import type { Pool } from 'pg';
import type { BulkWriter } from '../bulk.js';
import type { DocumentMaker } from '../document-maker.js';
import type { IndexNames } from '../indices.js';

/** Dependencies of the operations that read or change the index. */
export interface ClusterLogOptions {
  pool: Pool;
  client: Client;
  names: IndexNames;
  writer: BulkWriter;
  maker: DocumentMaker;
  /** Resolves when the index has every record of an organization that was committed before. */
  fresh(organizationId: string): Promise<void>;
}

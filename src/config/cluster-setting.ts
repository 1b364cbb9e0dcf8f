import { z } from 'zod';
import { listSetting, parsedSetting, urlOf, wholeSetting } from './setting.js';

/** Settings of the OpenSearch cluster that can answer searches. */
export interface ClusterConfig {
  /** Addresses of nodes, with user and password where the nodes require them. */
  nodes: readonly string[];
  /**
   * Certificate authority file (PEM) that the nodes' certificates are signed with; undefined: those that Node.js
   * trusts.
   */
  caFile: string | undefined;
  /** Maximum number of copies of each record besides the first one. A cluster with few nodes has fewer. */
  replicas: number;
  /** Prefix of index names. */
  prefix: string;
  /** Limit of bytes of records that wait to be indexed. Above it, ingestion answers 503. */
  journalMaxBytes: number;
  /** Whether a search waits until all records acknowledged before it can be found. */
  strict: boolean;
}

/** Cluster settings in the environment. */
export const clusterSettings = {
  RECORD_INDEX: z.enum(['postgres', 'opensearch'], 'must be postgres or opensearch').default('postgres'),
  OPENSEARCH_URL: listSetting(
    (text) => (/^https?:$/.test(urlOf(text)?.protocol ?? '') ? text : undefined),
    'must be addresses such as https://user:password@host:9200, separated by commas',
  ).default([]),
  OPENSEARCH_CA: z.string().optional(),
  OPENSEARCH_REPLICAS: wholeSetting(0, 20).default(2),
  OPENSEARCH_INDEX_PREFIX: parsedSetting(
    (text) => (/^[a-z][a-z0-9_-]{0,99}$/.test(text) ? text : undefined),
    'must be lower case letters, digits, - and _, beginning with a letter',
  ).default('ddp'),
  JOURNAL_MAX_BYTES: wholeSetting(1_000_000, Number.MAX_SAFE_INTEGER).default(10_000_000_000),
  SEARCH_FRESHNESS: z.enum(['eventual', 'strict'], 'must be eventual or strict').default('eventual'),
};

type Given = z.infer<z.ZodObject<typeof clusterSettings>>;

/** Returns the configured cluster, even when searches are not answered from it; undefined when none is configured. */
export const clusterOf = (given: Given): ClusterConfig | undefined =>
  given.OPENSEARCH_URL.length === 0
    ? undefined
    : {
        nodes: given.OPENSEARCH_URL,
        caFile: given.OPENSEARCH_CA,
        replicas: given.OPENSEARCH_REPLICAS,
        prefix: given.OPENSEARCH_INDEX_PREFIX,
        journalMaxBytes: given.JOURNAL_MAX_BYTES,
        strict: given.SEARCH_FRESHNESS === 'strict',
      };

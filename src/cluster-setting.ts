import { z } from 'zod';
import { listOf, parsed, urlOf, whole } from './setting.js';

/** The OpenSearch cluster that searches may be answered from. */
export interface ClusterConfig {
  /** Addresses of nodes, with user and password where they need them. */
  nodes: readonly string[];
  /** File of the certificates (PEM) that the nodes' own are signed with; undefined: those that Node.js trusts. */
  caFile: string | undefined;
  /** Copies of each record beside the first one, at most: as many as there are nodes for. */
  replicas: number;
  /** What the names of indices begin with. */
  prefix: string;
  /** Bytes of records that may wait to be indexed; beyond them ingestion answers 503. */
  journalMaxBytes: number;
  /** Whether a search waits until every record that was acknowledged before it is found. */
  strict: boolean;
}

/** The settings of a cluster, as the environment has them. */
export const clusterSettings = {
  RECORD_INDEX: z.enum(['postgres', 'opensearch'], 'must be postgres or opensearch').default('postgres'),
  OPENSEARCH_URL: listOf(
    (text) => (/^https?:$/.test(urlOf(text)?.protocol ?? '') ? text : undefined),
    'must be addresses such as https://user:password@host:9200, separated by commas',
  ).default([]),
  OPENSEARCH_CA: z.string().optional(),
  OPENSEARCH_REPLICAS: whole(0, 20).default(2),
  OPENSEARCH_INDEX_PREFIX: parsed(
    (text) => (/^[a-z][a-z0-9_-]{0,99}$/.test(text) ? text : undefined),
    'must be lower case letters, digits, - and _, beginning with a letter',
  ).default('ddp'),
  JOURNAL_MAX_BYTES: whole(1_000_000, Number.MAX_SAFE_INTEGER).default(10_000_000_000),
  SEARCH_FRESHNESS: z.enum(['eventual', 'strict'], 'must be eventual or strict').default('eventual'),
};

type Given = z.infer<z.ZodObject<typeof clusterSettings>>;

/** The cluster that is named, whether searches are answered from it or not; undefined where none is. */
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

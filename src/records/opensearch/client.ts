import { readFileSync } from 'node:fs';
import { Client, type ClientOptions, errors } from '@opensearch-project/opensearch';
import type { ClusterConfig } from '#config/cluster-setting.js';
import { lookTimeout, NodeWatch } from './node-watch.js';
import { ExactSerializer } from './serializer.js';

/** Maximum duration of a request on one node, in milliseconds. */
const requestTimeout = 15_000;
/** Maximum number of retries on other nodes if one cannot be reached or cannot answer. */
const maxRetries = 2;

/** A client that knows which nodes are stuck, once its watch is started. */
export class ClusterClient extends Client {
  readonly watch: NodeWatch;

  constructor(nodes: readonly string[], options: ClientOptions) {
    super({ ...options, nodes: [...nodes] });
    this.watch = new NodeWatch(
      this,
      nodes,
      (node) => new Client({ ...options, node, requestTimeout: lookTimeout, maxRetries: 0 }),
    );
  }
}

/** Creates the client. Nodes that do not answer are avoided for a while and tried again later. */
export const createClient = ({ nodes, caFile }: Pick<ClusterConfig, 'nodes' | 'caFile'>): ClusterClient =>
  new ClusterClient(nodes, {
    requestTimeout,
    maxRetries,
    Serializer: ExactSerializer,
    ...(caFile !== undefined && { ssl: { ca: readFileSync(caFile, 'utf8') } }),
  });

/** Statuses of a node, a gateway or a shard that cannot answer now. The request can be repeated. */
const passing: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);

/** Whether an error means that the cluster is unreachable or too busy, as opposed to a wrong request. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof errors.ConnectionError ||
  error instanceof errors.TimeoutError ||
  error instanceof errors.NoLivingConnectionsError ||
  // No node sends invalid JSON; a proxy in front of the cluster does.
  error instanceof errors.DeserializationError ||
  (error instanceof errors.ResponseError && (passing.has(error.statusCode) || isBlocked(error.body)));

/** Whether writes are blocked, as on a full disk, until somebody makes room: 429, and 403 before OpenSearch 2. */
const isBlocked = (body: unknown): boolean =>
  (body as { error?: { type?: string } } | undefined)?.error?.type === 'cluster_block_exception';

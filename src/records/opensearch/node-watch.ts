import type { Client } from '@opensearch-project/opensearch';
import { errors } from '@opensearch-project/opensearch';
import { createPollLoop, type PollLoop } from '#scheduling/poll-loop.js';

/** Interval of the checks of a node, in milliseconds. */
const interval = 1000;
/** Time limit of a check in milliseconds. A node that misses it, or its machine, is stuck. */
export const lookTimeout = 1500;
/** Number of consecutive missed checks that mark a node as stuck: a single one may be a long garbage collection. */
const maxMissed = 2;

/** State of the nodes for a search. */
export interface NodeView {
  /** The engine's search parameter `preference`, which avoids shards of a stuck node if there are copies of them. */
  readonly preference: string | undefined;
  /** Aborted when a node turns out to be stuck: a search sent before may wait for it and should be sent again. */
  readonly stuck: AbortSignal;
}

/** A node as this process sees it. */
interface Watched {
  /** Client of this node only. */
  readonly client: Client;
  readonly loop: PollLoop;
  /** Identifier in the cluster, once the node has answered. */
  id: string | undefined;
  isStuck: boolean;
}

/**
 * Checks each node every second. A killed node closes its connections, and both the client and the other nodes continue
 * without it at once. If a node stops silently (its process is stopped, its machine has lost power or network), the
 * engine excludes it only after half a minute, and requests to it wait until their own time limit.
 */
export class NodeWatch {
  private readonly nodes: Watched[];
  private view: NodeView & { readonly controller: AbortController };

  /**
   * @param client client whose nodes are watched
   * @param open opens a client for a single address
   */
  constructor(
    private readonly client: Client,
    addresses: readonly string[],
    open: (address: string) => Client,
  ) {
    this.view = viewWith(undefined);
    // With a single address there is no other node to use.
    this.nodes = addresses.length < 2 ? [] : addresses.map((address, place) => this.watched(open(address), place));
  }

  /** Current state of the nodes. */
  get now(): NodeView {
    return this.view;
  }

  start(): void {
    for (const { loop } of this.nodes) loop.start();
  }

  async close(): Promise<void> {
    await Promise.all(
      this.nodes.map(async ({ client, loop }) => {
        await loop.close();
        await client.close();
      }),
    );
  }

  private watched(client: Client, place: number): Watched {
    const loop = createPollLoop({
      interval,
      poll: () => this.look(node, place),
      retryAfter: () => interval,
      onFailure: (error, failures) => void this.missed(node, place, error, failures + 1),
    });
    const node: Watched = { client, loop, id: undefined, isStuck: false };
    return node;
  }

  private async look(node: Watched, place: number): Promise<void> {
    const { body } = await node.client.nodes.info({
      node_id: '_local',
      metric: ['http'],
      filter_path: ['nodes.*.name'],
    });
    [node.id] = Object.keys(body.nodes);
    const connection = this.client.connectionPool.connections[place]!;
    // The client itself would avoid the node for a minute or longer.
    if (connection.status !== 'alive') this.client.connectionPool.markAlive(connection);
    if (!node.isStuck) return;
    node.isStuck = false;
    this.view = viewWith(await this.preference());
  }

  private async missed(node: Watched, place: number, error: unknown, misses: number): Promise<void> {
    if (!(error instanceof errors.TimeoutError) || misses < maxMissed || node.isStuck) return;
    node.isStuck = true;
    this.client.connectionPool.markDead(this.client.connectionPool.connections[place]!);
    const next = viewWith(await this.preference());
    const { controller } = this.view;
    this.view = next;
    controller.abort();
  }

  /**
   * Builds the preference for every node of the cluster that is not stuck, including nodes whose address is not
   * configured.
   */
  private async preference(): Promise<string | undefined> {
    const stuck = new Set(this.nodes.flatMap(({ id, isStuck }) => (isStuck && id !== undefined ? id : [])));
    if (stuck.size === 0) return undefined;
    const known = this.nodes.flatMap(({ client, isStuck }) => (isStuck ? [] : membersOf(client)));
    const members = await Promise.any(known).catch((): string[] => []);
    const others = members.filter((id) => !stuck.has(id));
    return others.length === 0 ? undefined : `_prefer_nodes:${others.join(',')}`;
  }
}

/** Returns the identifiers of the cluster's nodes as this node knows them. */
const membersOf = async (client: Client): Promise<string[]> => {
  const answer = await client.cluster.state({ metric: ['nodes'], local: true, filter_path: ['nodes.*.name'] });
  return Object.keys((answer.body as { nodes?: object }).nodes ?? {});
};

const viewWith = (preference: string | undefined) => {
  const controller = new AbortController();
  return { preference, controller, stuck: controller.signal };
};

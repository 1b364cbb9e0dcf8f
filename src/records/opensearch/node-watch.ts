import type { Client } from '@opensearch-project/opensearch';
import { errors } from '@opensearch-project/opensearch';
import { createPollLoop, type PollLoop } from '../../poll-loop.js';

/** Time between two looks at a node, in milliseconds. */
const interval = 1000;
/** A node that answers such a small question later than this is stuck, or its machine is. Milliseconds. */
export const lookTimeout = 1500;
/** Looks in a row that a stuck node has not answered: one alone may be a long garbage collection. */
const maxMissed = 2;

/** What a search is to know of the nodes when it is sent. */
export interface NodeView {
  /** The engine's search parameter `preference`, so that no shard of a stuck node is asked where there is a copy of it. */
  readonly preference: string | undefined;
  /** Aborted when a node is found stuck: what was sent before may wait for it, and is better sent again. */
  readonly stuck: AbortSignal;
}

/** A node, as this process sees it. */
interface Watched {
  /** Asks this node only. */
  readonly client: Client;
  readonly loop: PollLoop;
  /** Its identifier in the cluster, once it has answered. */
  id: string | undefined;
  isStuck: boolean;
}

/**
 * Looks at each node every second. A node that was killed closes its connections, and both the client and the other nodes
 * go on without it at once. One that stops without a word (its process is stopped, its machine has lost power or network)
 * is left out by the engine only after half a minute, and a request that is on its way to it ends at its own time limit.
 */
export class NodeWatch {
  private readonly nodes: Watched[];
  private view: NodeView & { readonly controller: AbortController };

  /**
   * @param client whose nodes are watched
   * @param open opens a client that asks one address only
   */
  constructor(
    private readonly client: Client,
    addresses: readonly string[],
    open: (address: string) => Client,
  ) {
    this.view = viewWith(undefined);
    // Where there is one address, there is no other to go to.
    this.nodes = addresses.length < 2 ? [] : addresses.map((address, place) => this.watched(open(address), place));
  }

  /** How the nodes are now. */
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
    // The client itself would leave it out for a minute and longer.
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

  /** Prefers every node of the cluster that is not stuck, whether its address is known here or not. */
  private async preference(): Promise<string | undefined> {
    const stuck = new Set(this.nodes.flatMap(({ id, isStuck }) => (isStuck && id !== undefined ? id : [])));
    if (stuck.size === 0) return undefined;
    const known = this.nodes.flatMap(({ client, isStuck }) => (isStuck ? [] : membersOf(client)));
    const members = await Promise.any(known).catch((): string[] => []);
    const others = members.filter((id) => !stuck.has(id));
    return others.length === 0 ? undefined : `_prefer_nodes:${others.join(',')}`;
  }
}

/** The identifiers of the nodes of the cluster, as the node that is asked knows them. */
const membersOf = async (client: Client): Promise<string[]> => {
  const answer = await client.cluster.state({ metric: ['nodes'], local: true, filter_path: ['nodes.*.name'] });
  return Object.keys((answer.body as { nodes?: object }).nodes ?? {});
};

const viewWith = (preference: string | undefined) => {
  const controller = new AbortController();
  return { preference, controller, stuck: controller.signal };
};

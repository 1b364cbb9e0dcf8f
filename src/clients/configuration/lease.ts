import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Graph, type GraphOperation, RequestRefusal } from './client.js';

/** Time between renewals, a third of the time for which the service grants a lease, in milliseconds. */
const renewal = 10_000;

/** Waiting for the lease of another tool, in milliseconds. A lease that nobody renews ends within 30 s. */
const patience = { between: 500, total: 60_000 };

/** The lease of an organization's configuration. Each transaction begins with a renewal, so that it changes nothing without the lease. */
export interface Lease {
  readonly renewal: GraphOperation;
}

/**
 * Works under the lease of an organization's configuration, so that two files are applied one after the other.
 * @param onWait called once if another tool has the lease
 * @throws RequestRefusal when another tool keeps the lease for a minute
 */
export async function withLease<Result>(
  graph: Graph,
  organizationId: string,
  onWait: () => void,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const variables = { o: organizationId, id: randomUUID() };
  const operation = (renew: boolean): GraphOperation => ({
    query: `mutation ($o: ID!, $id: ID!) { leaseConfiguration(organizationId: $o, leaseId: $id, renew: ${renew}) { expiresAt } }`,
    variables,
  });
  const ask = ({ query }: GraphOperation) => graph.ask(query, variables);
  await takeLease(() => ask(operation(false)), onWait);
  // A renewal that fails is no reason to stop: the next transaction finds out whether the lease is lost.
  const timer = setInterval(() => void ask(operation(true)).catch(() => undefined), renewal);
  try {
    return await work({ renewal: operation(true) });
  } finally {
    clearInterval(timer);
    // If this fails, others can lease only after the lease expires.
    await graph
      .ask(
        'mutation ($o: ID!, $id: ID!) { endConfigurationLease(organizationId: $o, leaseId: $id) { expiresAt } }',
        variables,
      )
      .catch(() => undefined);
  }
}

async function takeLease(take: () => Promise<unknown>, onWait: () => void): Promise<void> {
  for (let waited = 0; ; waited += patience.between) {
    try {
      await take();
      return;
    } catch (error) {
      if (!(error instanceof RequestRefusal) || error.code !== 'CONFLICT' || waited >= patience.total) throw error;
      if (waited === 0) onWait();
      await delay(patience.between);
    }
  }
}

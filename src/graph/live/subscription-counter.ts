import { rateLimited, unavailable } from '#common/errors.js';

/** Maximum numbers of concurrent subscriptions. */
export interface SubscriptionLimits {
  perProcess: number;
  perToken: number;
  perConnection: number;
}

/** Counts open subscriptions. */
export interface SubscriptionCounter {
  /**
   * Counts a subscription and returns the function that releases it.
   * @throws rateLimited when the connection or the token has its maximum, unavailable when the process has.
   */
  take(connection: object, tokenId: string): () => void;
  /** Returns the number of open subscriptions. */
  taken(): number;
}

/** Creates the subscription counter of a process. */
export function createSubscriptionCounter({
  perProcess,
  perToken,
  perConnection,
}: SubscriptionLimits): SubscriptionCounter {
  let all = 0;
  const byToken = new Map<string, number>();
  const byConnection = new WeakMap<object, number>();
  return {
    taken: () => all,
    take(connection, tokenId) {
      const ofConnection = byConnection.get(connection) ?? 0;
      const ofToken = byToken.get(tokenId) ?? 0;
      if (ofConnection >= perConnection) throw rateLimited(full('connection', perConnection));
      if (ofToken >= perToken) throw rateLimited(full('token', perToken));
      if (all >= perProcess) throw unavailable(full('service', perProcess));
      all++;
      byToken.set(tokenId, ofToken + 1);
      byConnection.set(connection, ofConnection + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        all--;
        byConnection.set(connection, byConnection.get(connection)! - 1);
        const left = byToken.get(tokenId)! - 1;
        if (left === 0) byToken.delete(tokenId);
        else byToken.set(tokenId, left);
      };
    },
  };
}

const full = (what: string, limit: number) =>
  `This ${what} has ${limit} subscriptions, which is the maximum. End one first.`;

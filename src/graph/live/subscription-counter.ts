import { rateLimited, unavailable } from '../../errors.js';

/** Subscriptions at once, at most. */
export interface SubscriptionLimits {
  perProcess: number;
  perToken: number;
  perConnection: number;
}

/** Counts subscriptions. */
export interface SubscriptionCounter {
  /**
   * Counts a subscription, and answers how to count it no more.
   * @throws 429 where the connection or the token has as many as it may, 503 where this process has.
   */
  take(connection: object, tokenId: string): () => void;
  /** How many are taken. */
  taken(): number;
}

/** Counts the subscriptions of a process. */
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
  `This ${what} has ${limit} subscriptions, as many as it may. End one first.`;

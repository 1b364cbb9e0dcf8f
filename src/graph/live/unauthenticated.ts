import { createAddressCounter } from '../../address-counter.js';

/** Connections that have not been authenticated yet. */
export interface UnauthenticatedConnections {
  /**
   * Counts a connection of an address until it is released. Undefined where the address has as many as it may. Where all
   * addresses together have as many as they may, the oldest connection is closed for it.
   */
  take(address: string, close: () => void): UnauthenticatedConnection | undefined;
}

/** A connection that counts as unauthenticated. */
export interface UnauthenticatedConnection {
  /** Counts it no more: it was authenticated, or is closed. A second call does nothing. */
  release(): void;
}

/**
 * @param perAddress most of one address at once; 0 is no limit.
 * @param perProcess most of all addresses.
 */
export function createUnauthenticated({
  perAddress,
  perProcess,
}: {
  perAddress: number;
  perProcess: number;
}): UnauthenticatedConnections {
  const counter = createAddressCounter(perAddress === 0 ? Number.POSITIVE_INFINITY : perAddress);
  /** The oldest first. */
  const present = new Set<UnauthenticatedConnection & { close(): void }>();
  return {
    take(address, close) {
      const giveBack = counter.take(address);
      if (giveBack === undefined) return undefined;
      const [oldest] = present;
      if (present.size >= perProcess && oldest !== undefined) {
        oldest.release();
        oldest.close();
      }
      const connection = {
        close,
        release() {
          present.delete(connection);
          giveBack();
        },
      };
      present.add(connection);
      return connection;
    },
  };
}

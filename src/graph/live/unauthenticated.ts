import { createAddressCounter } from '#http/connection-limit.js';

/** Connections that are not yet authenticated. */
export interface UnauthenticatedConnections {
  /**
   * Counts a connection of an IP address until it is released. Undefined when the address has its maximum. When all
   * addresses together have their maximum, the oldest connection is closed to make room.
   */
  take(address: string, close: () => void): UnauthenticatedConnection | undefined;
}

/** A connection that counts as unauthenticated. */
export interface UnauthenticatedConnection {
  /** Stops counting the connection, once it is authenticated or closed. A second call does nothing. */
  release(): void;
}

/**
 * Creates the counter of unauthenticated connections.
 * @param perAddress maximum per IP address; 0 is no limit.
 * @param perProcess maximum of all addresses together.
 */
export function createUnauthenticated({
  perAddress,
  perProcess,
}: {
  perAddress: number;
  perProcess: number;
}): UnauthenticatedConnections {
  const counter = createAddressCounter(perAddress === 0 ? Number.POSITIVE_INFINITY : perAddress);
  /** Connections in order of arrival, the oldest first. */
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

import type { Socket } from 'node:net';
import { createAddressCounter } from './address-counter.js';

/** Limits how many connections of one address may be open that have not shown a valid token. */
export interface ConnectionLimit {
  /** Lets a new connection in, or says that its address has too many. */
  accept(socket: Socket): boolean;
  /** Stops to count a connection: it has shown a valid token. */
  authenticated(socket: Socket): void;
}

/**
 * @param perAddress for each address; 0 is no limit.
 * @param isProxy whether an address is a trusted proxy's, behind which there are many clients; proxies limit them themselves.
 */
export const createConnectionLimit = (perAddress: number, isProxy: (address: string) => boolean): ConnectionLimit => {
  const counter = createAddressCounter(perAddress);
  const places = new WeakMap<Socket, () => void>();
  return {
    accept(socket) {
      const address = socket.remoteAddress ?? '';
      if (perAddress === 0 || isProxy(address)) return true;
      const giveBack = counter.take(address);
      if (giveBack === undefined) return false;
      places.set(socket, giveBack);
      socket.once('close', giveBack);
      return true;
    },
    authenticated: (socket) => places.get(socket)?.(),
  };
};

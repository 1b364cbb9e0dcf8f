import type { Socket } from 'node:net';
import { networkOf } from './client-network.js';

/** Limits how many connections without a valid token one IP address may have open. */
export interface ConnectionLimit {
  /** Accepts a new connection; false when its address has too many. */
  accept(socket: Socket): boolean;
  /** Stops counting a connection that has shown a valid token. */
  authenticated(socket: Socket): void;
}

/**
 * Creates the limit.
 * @param perAddress maximum per address; 0 is no limit.
 * @param isProxy whether an address belongs to a trusted proxy. Many clients share it, so the proxy limits them itself.
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

/** Counts what each IP address has open; of IPv6, each network of 64 bits. */
export interface AddressCounter {
  /** Takes a slot and returns the function that releases it; undefined when the address has its maximum. */
  take(address: string): (() => void) | undefined;
}

/** Creates a counter that allows each address `max` slots at once. */
export const createAddressCounter = (max: number): AddressCounter => {
  const taken = new Map<string, number>();
  return {
    take(from) {
      const address = networkOf(from);
      const count = taken.get(address) ?? 0;
      if (count >= max) return undefined;
      taken.set(address, count + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        const left = taken.get(address)! - 1;
        if (left === 0) taken.delete(address);
        else taken.set(address, left);
      };
    },
  };
};

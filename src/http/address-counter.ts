import { networkOf } from './client-network.js';

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

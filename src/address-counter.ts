/** Counts what an address has open. */
export interface AddressCounter {
  /** Takes a place, and answers how to give it back; undefined where the address has as many as it may. */
  take(address: string): (() => void) | undefined;
}

/** A counter that lets each address have so many places at once. */
export const createAddressCounter = (max: number): AddressCounter => {
  const taken = new Map<string, number>();
  return {
    take(address) {
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

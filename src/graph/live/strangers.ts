import { createAddressCounter } from '../../address-counter.js';

/** Connections that have not said who they are. */
export interface Strangers {
  /**
   * Takes in a connection from an address until it is let go: it has said who it is, or is closed. Undefined where the
   * address has as many as it may. Where all addresses together have, the one that is here longest is closed for it.
   */
  take(address: string, close: () => void): Letting | undefined;
}

/** How a connection is no stranger's any more. */
export interface Letting {
  go(): void;
}

/** @param perAddress of one address at once; 0 is no limit. @param most of all addresses. */
export function createStrangers({ perAddress, most }: { perAddress: number; most: number }): Strangers {
  const counter = createAddressCounter(perAddress === 0 ? Number.POSITIVE_INFINITY : perAddress);
  /** The longest here first. */
  const present = new Set<Letting & { close(): void }>();
  return {
    take(address, close) {
      const giveBack = counter.take(address);
      if (giveBack === undefined) return undefined;
      const [longest] = present;
      if (present.size >= most && longest !== undefined) {
        longest.go();
        longest.close();
      }
      const letting = {
        close,
        go() {
          present.delete(letting);
          giveBack();
        },
      };
      present.add(letting);
      return letting;
    },
  };
}

import { randomFillSync } from 'node:crypto';
import { v7, validate } from 'uuid';

/** An identifier that no object has. It sorts before all others (RFC 9562, section 5.9). */
export const nilId = '00000000-0000-0000-0000-000000000000';

/** Creates the identifiers of one process: UUIDs of version 7 (RFC 9562), so that later ones sort later. */
export interface Identifiers {
  /**
   * Creates the identifier of anything but a record. Each has 42 random bits. A counter beside them starts at random in
   * each millisecond and keeps the order.
   */
  newId(): string;
  /**
   * Creates the identifier of a record from its arrival, a counter, and 42 bits that the process has drawn once. The
   * counter starts at random and runs on over the milliseconds, so an identifier follows from the one before it. It
   * sorts before all that {@link newId} creates later, such as those of the record's deliveries.
   * @param arrivedAt milliseconds since 1970: one time for records that arrive together
   */
  newRecordId(arrivedAt?: number): string;
}

/** Sources of {@link createIdentifiers}. */
export interface IdentifierSources {
  /** Returns the time in milliseconds since 1970. */
  now?: () => number;
  /** Fills an array with random bytes. */
  draw?: (bytes: Uint8Array) => void;
}

/** Counters have 31 bits. The bit above them is set except for records, which so come first in a millisecond. */
const counters = 2 ** 31;

/**
 * Creates the identifiers of one process. Where the clock steps back, they keep the latest time. Where a counter has no
 * number left, they go on in the next millisecond.
 */
export const createIdentifiers = ({
  now = Date.now,
  draw = (bytes) => randomFillSync(bytes),
}: IdentifierSources = {}): Identifiers => {
  const random = createRandom(draw);
  let latest = 0;
  let counter = 0;
  let arrival = 0;
  let recordCounter = 0;
  let own: Uint8Array | undefined;
  return {
    newId() {
      const bytes = random();
      const time = Math.max(now(), arrival);
      if (time > latest || counter === counters - 1) {
        latest = Math.max(time, latest + 1);
        counter = counterOf(bytes);
      } else counter++;
      return v7({ random: bytes, msecs: latest, seq: counters + counter });
    },
    newRecordId(arrivedAt = now()) {
      if (own === undefined) {
        own = random().slice();
        recordCounter = counterOf(own);
      } else recordCounter = (recordCounter + 1) % counters;
      arrival = Math.max(arrivedAt, recordCounter === 0 ? arrival + 1 : arrival);
      return v7({ random: own, msecs: arrival, seq: recordCounter });
    },
  };
};

/**
 * Creates a source of 16 random bytes, valid until the next call. It draws many at once, because each draw costs as
 * much as the rest of creating an identifier.
 */
const createRandom = (draw: (bytes: Uint8Array) => void): (() => Uint8Array) => {
  const drawn = new Uint8Array(512 * 16);
  let spent = drawn.length;
  return () => {
    if (spent === drawn.length) {
      draw(drawn);
      spent = 0;
    }
    spent += 16;
    return drawn.subarray(spent - 16, spent);
  };
};

/** Returns the first number of a counter, from bytes that are in no identifier. */
const counterOf = (bytes: Uint8Array): number =>
  ((bytes[6]! << 24) | (bytes[7]! << 16) | (bytes[8]! << 8) | bytes[9]!) >>> 1;

/** The identifiers of this process. Each worker, and a process that starts again, draws its own bits. */
export const { newId, newRecordId } = createIdentifiers();

/**
 * Whether a text can be an identifier. One that cannot is answered as if it did not exist. Our identifiers are in lower
 * case; PostgreSQL would treat capitals as equal, while a comparison of texts would not.
 */
export const isId = (text: string): boolean => validate(text) && text === text.toLowerCase();

/** Returns the time at which one of our identifiers was created, in milliseconds since 1970. */
export const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * Returns the smallest identifier of a time in milliseconds since 1970. A time outside the range of identifiers is
 * moved to the nearest end.
 */
export const firstId = (milliseconds: number): string => {
  const time = Math.min(Math.max(0, Math.floor(milliseconds)), 2 ** 48 - 1);
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};

/**
 * Returns the smallest identifier of objects created at a time or later.
 * @param seconds Unix time in seconds.
 */
export const earliestId = (seconds: number): string => firstId(Math.ceil(thousandfold(seconds)));

/**
 * Returns the smallest identifier of objects created after a time, to the millisecond.
 * @param seconds Unix time in seconds.
 */
export const endId = (seconds: number): string => firstId(Math.floor(thousandfold(seconds)) + 1);

/**
 * Converts to milliseconds, rounded to a microsecond, the precision of times in the API: 0.29 s are 290 ms, not
 * 289.99999999999994.
 */
const thousandfold = (seconds: number) => Math.round(seconds * 1e6) / 1e3;

/**
 * A range of identifiers, both ends included. Identifiers are UUIDs of version 7, so they are ordered by the time of
 * their making.
 */
export interface IdRange {
  low: string;
  high: string;
}

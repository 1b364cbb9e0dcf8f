import { randomFillSync } from 'node:crypto';
import { v7, validate } from 'uuid';

/** An identifier that no object has. It sorts before all others (RFC 9562, section 5.9). */
export const nilId = '00000000-0000-0000-0000-000000000000';

/**
 * Random bytes for many identifiers, drawn at once, because each draw costs as much as the rest of creating an
 * identifier.
 */
const random = new Uint8Array(512 * 16);
let spent = random.length;
let latest = 0;
let sequence = 0;

/**
 * Creates an identifier: UUID version 7 (RFC 9562), so that later identifiers sort later. Within a millisecond, a
 * counter with a random start keeps the order; the 42 random bits beside it keep processes apart.
 * @param now milliseconds since 1970: one time for identifiers that are created together without a wait between them
 */
export const newId = (now = Date.now()): string => {
  if (spent === random.length) {
    randomFillSync(random);
    spent = 0;
  }
  const bytes = random.subarray(spent, spent + 16);
  spent += 16;
  if (now > latest) {
    latest = now;
    // The counter starts in the lower half of its 32 bits, which leaves room to count up.
    sequence = ((bytes[6]! << 24) | (bytes[7]! << 16) | (bytes[8]! << 8) | bytes[9]!) >>> 1;
  } else sequence++;
  return v7({ random: bytes, msecs: latest, seq: sequence });
};

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

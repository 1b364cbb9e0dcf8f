import { randomFillSync } from 'node:crypto';
import { v7, validate } from 'uuid';

/** The identifier that nothing has, which sorts before all others (RFC 9562, section 5.9). */
export const nilId = '00000000-0000-0000-0000-000000000000';

/** Random bytes for identifiers, drawn for many at once: each draw costs as much as everything else about one. */
const random = new Uint8Array(512 * 16);
let spent = random.length;
let latest = 0;
let sequence = 0;

/**
 * A new identifier: UUID version 7 (RFC 9562), so identifiers made later sort later. Within a millisecond a counter that
 * begins at random keeps the order; the 42 random bits beside it keep processes apart.
 */
export const newId = (): string => {
  if (spent === random.length) {
    randomFillSync(random);
    spent = 0;
  }
  const bytes = random.subarray(spent, spent + 16);
  spent += 16;
  const now = Date.now();
  if (now > latest) {
    latest = now;
    // Half of its 32 bits' range is left to count up in.
    sequence = ((bytes[6]! << 24) | (bytes[7]! << 16) | (bytes[8]! << 8) | bytes[9]!) >>> 1;
  } else sequence++;
  return v7({ random: bytes, msecs: latest, seq: sequence });
};

/**
 * Whether a text can be an identifier at all. What cannot is answered like one that does not exist. Ours are written in
 * lower case; PostgreSQL would take capitals for the same thing where a comparison of texts would not.
 */
export const isId = (text: string): boolean => validate(text) && text === text.toLowerCase();

/** When an identifier of ours was made, in milliseconds since 1970. */
export const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The smallest identifier of a time, in milliseconds since 1970; times that have none are taken to the nearest. */
export const firstId = (milliseconds: number): string => {
  const time = Math.min(Math.max(0, Math.floor(milliseconds)), 2 ** 48 - 1);
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};

/** The smallest identifier of what was made at a time or later. Unix time in seconds. */
export const earliestId = (seconds: number): string => firstId(Math.ceil(thousandfold(seconds)));

/** The smallest identifier of what was made later than a time, to the millisecond. Unix time in seconds. */
export const endId = (seconds: number): string => firstId(Math.floor(thousandfold(seconds)) + 1);

/** Milliseconds; the time of 0.29 s is 290 of them, not 289.99999999999994. To a microsecond, as finely as times are told. */
const thousandfold = (seconds: number) => Math.round(seconds * 1e6) / 1e3;

import { ErrorWithoutStack } from '#common/error-without-stack.js';
import { type ApiError, type Fault, invalid, unknownDevice } from '#common/errors.js';
import type { StreamType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';

/** A JSON object without positions. */
export type PlainObject = { [key: string]: PlainJson };

/** Bytes as a device sent them, and what is known of their stream before the device is found. */
export interface ItemFrame {
  /** Number of the stream. `only` is the product's only stream, else 1. Without it, the bytes are stored undecoded. */
  streamId?: number | 'only';
  /** By default the type that the product maps for the stream. */
  streamType?: StreamType;
  bytes: Buffer;
}

/** A record to store, whose device and product are not yet found. */
export interface Item {
  /** Serials to look up, ignoring dashes and case; the first that a device has wins. Empty with `deviceId`. */
  serials: readonly string[];
  deviceId?: string;
  /** Time in Unix seconds; by default now. */
  ts?: number;
  /** Path of the time in the sender's body, for errors about its range; `ts` by default. */
  tsPath?: string;
  metadata: PlainObject;
  /** Decoded fields. The frame's values override them, unless `dataWins`. */
  data: PlainObject;
  dataWins?: boolean;
  frame?: ItemFrame;
  /** Deduplication key. A record with the same device and key is a duplicate for 48 hours. */
  key?: string;
  /** Hours for which the key counts, instead of 48. */
  keyHours?: number;
}

/** Reason why an item was not stored. */
export type ItemCode = 'UNKNOWN_DEVICE' | 'VALIDATION_FAILED' | 'TS_OUT_OF_RANGE' | 'BAD_PAYLOAD' | 'MALFORMED_REQUEST';

/** An item that cannot be stored, with the reason as a sentence. */
export class Rejection extends ErrorWithoutStack {
  constructor(
    readonly code: ItemCode,
    message: string,
    /** The faulty field of the sender's body, if a single one is. */
    readonly fault?: Fault,
    /** The item's device, if known. */
    readonly deviceId?: string,
  ) {
    super(message);
    this.name = 'Rejection';
  }
}

/**
 * Returns the error that refuses a whole call because of one item: a network server reads the status, not the results.
 */
export const rejectionError = ({ code, message, fault }: Rejection): ApiError =>
  code === 'UNKNOWN_DEVICE' ? unknownDevice(message) : invalid([fault ?? { path: '', message }]);

/** Result of an item. A duplicate names the record that it repeats. */
export type ItemResult =
  | { status: 'stored' | 'duplicate'; recordId: string }
  | { status: 'rejected'; error: { code: ItemCode; message: string } };

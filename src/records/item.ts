import type { StreamType } from '../entities/enums.js';
import { type ApiError, type Fault, invalid, unknownDevice } from '../errors.js';
import type { PlainJson } from '../json.js';

/** A JSON object without positions. */
export type PlainObject = { [key: string]: PlainJson };

/** Bytes as a device sent them, and what is known of their stream before the device is. */
export interface ItemFrame {
  /** `only`: the product's only stream, else 1. Absent: there is no stream, and the bytes are kept undecoded. */
  streamId?: number | 'only';
  /** Absent: the one that the product maps for the stream. */
  streamType?: StreamType;
  bytes: Buffer;
}

/** A record to store, its device and product still to be found. */
export interface Item {
  /** Serials to look for, dashes and case aside; the first that a device has wins. Empty where `deviceId` is given. */
  serials: readonly string[];
  deviceId?: string;
  /** Unix seconds; absent: now. */
  ts?: number;
  /** Where the sender's body holds the time, for the fault of one that is out of range; `ts` unless given. */
  tsPath?: string;
  metadata: PlainObject;
  /** Decoded fields. They yield to what the frame gives, unless `dataWins`. */
  data: PlainObject;
  dataWins?: boolean;
  frame?: ItemFrame;
  /** The same device and key again within 48 hours is a duplicate. */
  key?: string;
  /** Hours for which the key counts instead. */
  keyHours?: number;
}

/** Why an item was not stored. */
export type ItemCode = 'UNKNOWN_DEVICE' | 'VALIDATION_FAILED' | 'TS_OUT_OF_RANGE' | 'BAD_PAYLOAD' | 'MALFORMED_REQUEST';

/** An item that cannot be stored, with a sentence that says why. */
export class Rejection extends Error {
  constructor(
    readonly code: ItemCode,
    message: string,
    /** What is wrong with which field of the sender's body, where it is one field. */
    readonly fault?: Fault,
    /** The device that it is of, where that is known. */
    readonly deviceId?: string,
  ) {
    super(message);
    this.name = 'Rejection';
  }
}

/** What refuses a call whole for one item: a network server is told by its status, it does not read results. */
export const refusalOf = ({ code, message, fault }: Rejection): ApiError =>
  code === 'UNKNOWN_DEVICE' ? unknownDevice(message) : invalid([fault ?? { path: '', message }]);

/** The fate of an item. A duplicate names the record that it repeats. */
export type ItemResult =
  | { status: 'stored' | 'duplicate'; recordId: string }
  | { status: 'rejected'; error: { code: ItemCode; message: string } };

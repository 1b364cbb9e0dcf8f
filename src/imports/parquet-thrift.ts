import { parquetLimits } from './parquet-limit.js';

/** A value of Thrift's compact protocol. Integers beyond 2^53 lose their last bits; {@link natural} refuses them. */
export type Thrift = number | boolean | Uint8Array | Thrift[] | ThriftStruct;

/** The fields of a structure, by number. */
export type ThriftStruct = Map<number, Thrift>;

/**
 * Reads a structure of Thrift's compact protocol as hyparquet does. It checks every length against the remaining bytes,
 * so that hyparquet allocates no more for the same bytes than they hold.
 * @param maxValues maximum number of values
 * @throws Error with the reason
 */
export const readStruct = (
  bytes: Uint8Array,
  from: number,
  maxValues: number,
): { fields: ThriftStruct; end: number } => {
  const reader = new Reader(bytes, from, maxValues);
  const fields = reader.struct(0);
  return { fields, end: reader.at };
};

/** Reads an unsigned integer of at most 32 bits, in groups of 7 bits (LEB128). */
export const readVarint = (bytes: Uint8Array, from: number): { value: number; end: number } => {
  let value = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[from + index];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80 && value < 2 ** 32) return { value, end: from + index + 1 };
  }
  throw new Error('it has a number that does not end or is too large');
};

class Reader {
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
    private left: number,
  ) {}

  struct(depth: number): ThriftStruct {
    if (depth > parquetLimits.depth) throw new Error('its headers are too deep');
    const fields: ThriftStruct = new Map();
    for (let id = 0; ; ) {
      const head = this.byte();
      const type = head & 0x0f;
      if (type === 0) return fields;
      id = head >> 4 === 0 ? this.integer() : id + (head >> 4);
      fields.set(id, this.value(type, depth));
    }
  }

  private value(type: number, depth: number): Thrift {
    if (--this.left < 0) throw new Error('its headers have too many values');
    switch (type) {
      case 1:
        return true;
      case 2:
        return false;
      case 3:
        return (this.byte() << 24) >> 24;
      case 4:
      case 5:
        return this.integer();
      case 6:
        return this.long();
      case 7:
        this.take(8);
        return 0;
      case 8:
        return this.take(this.varint());
      case 9:
        return this.list(depth);
      case 12:
        return this.struct(depth + 1);
      default:
        throw new Error(`a header has a value of the unknown type ${type}`);
    }
  }

  private list(depth: number): Thrift[] {
    if (depth > parquetLimits.depth) throw new Error('its headers are too deep');
    const head = this.byte();
    const type = head & 0x0f;
    const size = head >> 4 === 15 ? this.varint() : head >> 4;
    // Each value of a list takes at least one byte.
    if (size > this.bytes.length - this.at)
      throw new Error(`a list claims ${size} values where ${this.bytes.length - this.at} bytes are left`);
    const isBoolean = type === 1 || type === 2;
    const values: Thrift[] = [];
    for (let index = 0; index < size; index++) values.push(this.value(isBoolean ? 3 : type, depth + 1));
    return values;
  }

  private byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new Error('a header is cut off');
    return byte;
  }

  private take(length: number): Uint8Array {
    if (length > this.bytes.length - this.at)
      throw new Error(`a text claims ${length} bytes where ${this.bytes.length - this.at} are left`);
    return this.bytes.subarray(this.at, (this.at += length));
  }

  private varint(): number {
    const { value, end } = readVarint(this.bytes, this.at);
    // hyparquet reads a length as a signed integer.
    if (value >= 2 ** 31) throw new Error(`a header claims a length of ${value}`);
    this.at = end;
    return value;
  }

  private integer(): number {
    const { value, end } = readVarint(this.bytes, this.at);
    this.at = end;
    return (value >>> 1) ^ -(value & 1);
  }

  private long(): number {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number((value >> 1n) ^ -(value & 1n));
    }
    throw new Error('it has a number that does not end');
  }
}

/**
 * Returns the value of a field.
 * @throws Error if it is not a whole number from 0
 */
export const natural = (fields: ThriftStruct, id: number, what: string): number => {
  const value = fields.get(id);
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`${what} is ${typeof value === 'number' ? value : 'missing'}`);
};

/**
 * Returns a structure.
 * @throws Error if the value is another
 */
export const structure = (value: Thrift | undefined, what: string): ThriftStruct => {
  if (value instanceof Map) return value;
  throw new Error(`${what} is missing`);
};

/**
 * Returns the value of a field.
 * @throws Error if it is not a list
 */
export const list = (fields: ThriftStruct, id: number, what: string): Thrift[] => {
  const value = fields.get(id);
  if (Array.isArray(value)) return value;
  throw new Error(`${what} is missing`);
};

/**
 * Values in PostgreSQL's binary format, as its types receive them (`uuid_recv`, `array_recv`, ...), for COPY and for
 * parameters of many rows. Numbers and times are not converted to text and back, and quotes in JSON are not escaped.
 */

/** Maximum number of UTF-8 bytes per UTF-16 unit of a string. */
const utf8Most = 3;

/** PostgreSQL counts microseconds from 2000-01-01. */
const epochMicroseconds = Date.UTC(2000, 0, 1) * 1000;

/** Object identifiers of array element types (pg_type). */
const oids = {
  boolean: 16,
  char: 18,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  json: 114,
  float8: 701,
  timestamptz: 1184,
  uuid: 2950,
} as const;

/** Number of bytes of each type of integers. `char` is PostgreSQL's `"char"`. */
const integerBytes = { char: 1, int2: 2, int4: 4, int8: 8 } as const;

/** A type of integers. */
export type IntegerType = keyof typeof integerBytes;

/** Version of jsonb's binary format, which contains the JSON as text. */
const jsonbVersion = 1;

const dash = '-'.charCodeAt(0);

/** Value of each hexadecimal digit, by its character code. */
const digits = new Uint8Array(128);
for (const [value, digit] of [...'0123456789abcdef'].entries()) digits[digit.charCodeAt(0)] = value;

/** Writes one value as a field. */
type Add<Value> = (fields: BinaryFields, value: Value) => unknown;

/** Writes fields one after the other, each as its length and its bytes. An absent value is NULL. */
export class BinaryFields {
  protected bytes: Buffer;
  protected end = 0;

  /** @param size initial size of the buffer in bytes. It grows as needed. */
  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  /** Bytes written so far. */
  protected get written(): Buffer {
    return this.bytes.subarray(0, this.end);
  }

  /** Writes NULL. */
  nothing(): this {
    return this.int32(-1);
  }

  /** Writes a uuid, which must be in lower case. */
  uuid(text: string | undefined): this {
    if (text === undefined) return this.nothing();
    this.int32(16).reserve(16);
    for (let index = 0; index < text.length; index += 2) {
      if (text.charCodeAt(index) === dash) index++;
      this.bytes[this.end++] = (digits[text.charCodeAt(index)]! << 4) | digits[text.charCodeAt(index + 1)]!;
    }
    return this;
  }

  /** Writes a time in Unix seconds, to the microsecond. */
  time(seconds: number): this {
    const microseconds = Math.round(seconds * 1e6) - epochMicroseconds;
    const high = Math.floor(microseconds / 2 ** 32);
    this.int32(8).int32(high).reserve(4);
    this.end = this.bytes.writeUInt32BE(microseconds - high * 2 ** 32, this.end);
    return this;
  }

  boolean(value: boolean): this {
    this.int32(1).reserve(1);
    this.bytes[this.end++] = Number(value);
    return this;
  }

  number(value: number): this {
    this.int32(8).reserve(8);
    this.end = this.bytes.writeDoubleBE(value, this.end);
    return this;
  }

  /** Writes an integer. */
  integer(type: IntegerType, value: number | undefined): this {
    if (value === undefined) return this.nothing();
    const bytes = integerBytes[type];
    this.int32(bytes);
    if (bytes === 1) {
      this.reserve(1);
      this.end = this.bytes.writeInt8(value, this.end);
    } else if (bytes === 2) this.int16(value);
    else {
      if (bytes === 8) this.int32(Math.floor(value / 2 ** 32));
      // Of a whole number beyond 32 bits, this takes the lowest.
      this.int32(value | 0);
    }
    return this;
  }

  /** Writes a `bytea`. */
  raw(bytes: Uint8Array | undefined): this {
    if (bytes === undefined) return this.nothing();
    this.int32(bytes.length).reserve(bytes.length);
    this.bytes.set(bytes, this.end);
    this.end += bytes.length;
    return this;
  }

  /** Writes a text, or a `json` as text. */
  text(text: string | undefined): this {
    if (text === undefined) return this.nothing();
    const start = this.begin();
    this.utf8(text);
    return this.close(start);
  }

  /** Writes a `jsonb` from a JSON text. */
  jsonb(text: string | undefined): this {
    if (text === undefined) return this.nothing();
    const start = this.begin();
    this.reserve(1);
    this.bytes[this.end++] = jsonbVersion;
    this.utf8(text);
    return this.close(start);
  }

  /** Writes a `float8[]`. */
  numbers(values: readonly (number | null)[] | undefined): this {
    return values === undefined ? this.nothing() : this.array(oids.float8, values, addNumber);
  }

  /** Writes a `text[]`. */
  texts(values: readonly (string | null)[] | undefined): this {
    return values === undefined ? this.nothing() : this.array(oids.text, values, addText);
  }

  /** Writes an array of integers. */
  integers(type: IntegerType, values: Iterable<number | null> | undefined): this {
    if (values === undefined) return this.nothing();
    return this.array(oids[type], [...values], (fields, value) => fields.integer(type, value));
  }

  /** Writes an array of one dimension with indices from 1. */
  array<Value>(oid: number, values: readonly Value[], add: Add<NonNullable<Value>>): this {
    const start = this.begin();
    // PostgreSQL reads the flag that says whether the array has nulls, but never uses it.
    this.int32(1).int32(1).int32(oid);
    this.int32(values.length).int32(1);
    for (const value of values) {
      if (value == null) this.nothing();
      else add(this, value);
    }
    return this.close(start);
  }

  /** Returns an array without the field's length, as a query parameter has it. */
  static parameter<Value>(oid: number, values: readonly Value[], add: Add<NonNullable<Value>>): Buffer {
    const lengthBytes = 4;
    return new BinaryFields(32 + values.length * 20).array(oid, values, add).written.subarray(lengthBytes);
  }

  protected int16(value: number): this {
    this.reserve(2);
    this.end = this.bytes.writeInt16BE(value, this.end);
    return this;
  }

  /**
   * Reserves space for a field's length, which {@link close} fills in. Returns the position of the field's first byte.
   */
  private begin(): number {
    this.int32(0);
    return this.end;
  }

  private close(start: number): this {
    this.bytes.writeInt32BE(this.end - start, start - 4);
    return this;
  }

  private utf8(text: string): void {
    this.reserve(text.length * utf8Most);
    this.end += this.bytes.write(text, this.end, 'utf8');
  }

  private int32(value: number): this {
    this.reserve(4);
    this.end = this.bytes.writeInt32BE(value, this.end);
    return this;
  }

  private reserve(size: number): void {
    if (this.end + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.end + size));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

const addNumber: Add<number> = (fields, value) => fields.number(value);
const addText: Add<string> = (fields, value) => fields.text(value);

type Values<Value> = readonly (Value | null | undefined)[];

/** Returns a parameter `uuid[]`. The uuids must be in lower case. */
export const uuids = (values: Values<string>): Buffer =>
  BinaryFields.parameter(oids.uuid, values, (fields, value) => fields.uuid(value));

/** Returns a parameter `text[]`. */
export const texts = (values: Values<string>): Buffer => BinaryFields.parameter(oids.text, values, addText);

/** Returns a parameter `json[]` from JSON texts. */
export const jsons = (values: Values<string>): Buffer => BinaryFields.parameter(oids.json, values, addText);

/** Returns a parameter `boolean[]`. */
export const booleans = (values: Values<boolean>): Buffer =>
  BinaryFields.parameter(oids.boolean, values, (fields, value) => fields.boolean(value));

/** Returns a parameter `timestamptz[]` from milliseconds since 1970. */
export const times = (values: Values<number>): Buffer =>
  BinaryFields.parameter(oids.timestamptz, values, (fields, value) => fields.time(value / 1000));

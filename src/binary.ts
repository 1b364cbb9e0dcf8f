/**
 * Values in PostgreSQL's binary form, as its types receive them (`uuid_recv`, `array_recv`, ...): for COPY of rows and for
 * parameters of many rows. No number or time is written out and read again, and no quote of a JSON is escaped.
 */

/** The longest a character is in UTF-8, for each unit of a string. */
const utf8Most = 3;

/** PostgreSQL counts microseconds from 2000-01-01. */
const epochMicroseconds = Date.UTC(2000, 0, 1) * 1000;

/** Types of array elements (pg_type). */
const oids = { boolean: 16, text: 25, json: 114, float8: 701, timestamptz: 1184, uuid: 2950 } as const;

/** The version of jsonb's binary form, which is its text. */
const jsonbVersion = 1;

const dash = '-'.charCodeAt(0);

/** Value of each hexadecimal digit by its code. */
const digits = new Uint8Array(128);
for (const [value, digit] of [...'0123456789abcdef'].entries()) digits[digit.charCodeAt(0)] = value;

/** Adds one value as a field. */
type Add<Value> = (fields: BinaryFields, value: Value) => unknown;

/** Fields one after the other, each its length and its bytes. A value that is absent is NULL. */
export class BinaryFields {
  protected bytes: Buffer;
  protected end = 0;

  /** @param size bytes to begin with; more are taken as they are needed. */
  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  /** What was written since the beginning. */
  protected get written(): Buffer {
    return this.bytes.subarray(0, this.end);
  }

  /** NULL. */
  nothing(): this {
    return this.int32(-1);
  }

  /** A uuid, written in lower case. */
  uuid(text: string | undefined): this {
    if (text === undefined) return this.nothing();
    this.int32(16).reserve(16);
    for (let index = 0; index < text.length; index += 2) {
      if (text.charCodeAt(index) === dash) index++;
      this.bytes[this.end++] = (digits[text.charCodeAt(index)]! << 4) | digits[text.charCodeAt(index + 1)]!;
    }
    return this;
  }

  /** A time in Unix seconds, to the microsecond. */
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

  /** A text, or a `json` as text. */
  text(text: string): this {
    const start = this.begin();
    this.utf8(text);
    return this.close(start);
  }

  /** A `jsonb`, of a JSON text. */
  jsonb(text: string | undefined): this {
    if (text === undefined) return this.nothing();
    const start = this.begin();
    this.reserve(1);
    this.bytes[this.end++] = jsonbVersion;
    this.utf8(text);
    return this.close(start);
  }

  /** A `float8[]`. */
  numbers(values: readonly (number | null)[] | undefined): this {
    return values === undefined ? this.nothing() : this.array(oids.float8, values, addNumber);
  }

  /** A `text[]`. */
  texts(values: readonly (string | null)[] | undefined): this {
    return values === undefined ? this.nothing() : this.array(oids.text, values, addText);
  }

  /** An array of one dimension, counted from 1. */
  array<Value>(oid: number, values: readonly Value[], add: Add<NonNullable<Value>>): this {
    const start = this.begin();
    // Whether there are nulls is read, and never used.
    this.int32(1).int32(1).int32(oid);
    this.int32(values.length).int32(1);
    for (const value of values) {
      if (value == null) this.nothing();
      else add(this, value);
    }
    return this.close(start);
  }

  /** The array alone, as a parameter takes it. */
  static parameter<Value>(oid: number, values: readonly Value[], add: Add<NonNullable<Value>>): Buffer {
    const lengthBytes = 4;
    return new BinaryFields(32 + values.length * 20).array(oid, values, add).written.subarray(lengthBytes);
  }

  protected int16(value: number): this {
    this.reserve(2);
    this.end = this.bytes.writeInt16BE(value, this.end);
    return this;
  }

  /** Leaves room for a field's length, which {@link close} fills in; where the field begins. */
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

/** A parameter `uuid[]`, each in lower case. */
export const uuids = (values: Values<string>): Buffer =>
  BinaryFields.parameter(oids.uuid, values, (fields, value) => fields.uuid(value));

/** A parameter `text[]`. */
export const texts = (values: Values<string>): Buffer => BinaryFields.parameter(oids.text, values, addText);

/** A parameter `json[]`, of JSON texts. */
export const jsons = (values: Values<string>): Buffer => BinaryFields.parameter(oids.json, values, addText);

/** A parameter `boolean[]`. */
export const booleans = (values: Values<boolean>): Buffer =>
  BinaryFields.parameter(oids.boolean, values, (fields, value) => fields.boolean(value));

/** A parameter `timestamptz[]`, of milliseconds since 1970. */
export const times = (values: Values<number>): Buffer =>
  BinaryFields.parameter(oids.timestamptz, values, (fields, value) => fields.time(value / 1000));

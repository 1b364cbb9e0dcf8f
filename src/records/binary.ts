import type { PlainJson } from '../json.js';

/** What every stream of rows begins with: signature, no flags, no extension. */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');

/** Bytes after which a piece ends with its row. */
const pieceSize = 256 * 1024;

/** The longest a character is in UTF-8, for each unit of a string. */
const utf8Most = 3;

/** PostgreSQL counts microseconds from 2000-01-01. */
const epochMicroseconds = (Date.UTC(2000, 0, 1) / 1000) * 1e6;

/** Types of array elements (pg_type). */
const oids = { float8: 701, text: 25 } as const;

/** The version of jsonb's binary form, which is its text. */
const jsonbVersion = 1;

const dash = '-'.charCodeAt(0);

/** Value of each hexadecimal digit by its code. */
const digits = new Uint8Array(128);
for (const [value, digit] of [...'0123456789abcdef'].entries()) digits[digit.charCodeAt(0)] = value;

/**
 * Rows in the binary form of COPY (PostgreSQL, "COPY", "Binary Format"): no number or time is written out and read again.
 * Fields are added in the order of the columns, each row begun by {@link row}; undefined is NULL.
 */
export class BinaryRows {
  private readonly pieces: Buffer[] = [];
  private bytes: Buffer = Buffer.allocUnsafe(pieceSize);
  private end = header.copy(this.bytes);

  constructor(private readonly columns: number) {}

  /** Begins a row. */
  row(): this {
    if (this.end >= pieceSize) {
      this.pieces.push(this.bytes.subarray(0, this.end));
      this.bytes = Buffer.allocUnsafe(this.bytes.length);
      this.end = 0;
    }
    return this.int16(this.columns);
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

  /** A moment in Unix seconds, to the microsecond. */
  time(seconds: number): this {
    const microseconds = Math.round(seconds * 1e6) - epochMicroseconds;
    const high = Math.floor(microseconds / 2 ** 32);
    this.int32(8).int32(high).reserve(4);
    this.end = this.bytes.writeUInt32BE(microseconds - high * 2 ** 32, this.end);
    return this;
  }

  text(text: string): this {
    const start = this.begin();
    this.utf8(text);
    return this.close(start);
  }

  json(value: PlainJson | undefined): this {
    if (value === undefined) return this.nothing();
    const start = this.begin();
    this.reserve(1);
    this.bytes[this.end++] = jsonbVersion;
    this.utf8(JSON.stringify(value));
    return this.close(start);
  }

  numbers(values: readonly (number | null)[] | undefined): this {
    if (values === undefined) return this.nothing();
    const start = this.beginArray(values, oids.float8);
    for (const value of values) {
      if (value === null) this.nothing();
      else {
        this.int32(8).reserve(8);
        this.end = this.bytes.writeDoubleBE(value, this.end);
      }
    }
    return this.close(start);
  }

  texts(values: readonly (string | null)[] | undefined): this {
    if (values === undefined) return this.nothing();
    const start = this.beginArray(values, oids.text);
    for (const value of values) {
      if (value === null) this.nothing();
      else this.text(value);
    }
    return this.close(start);
  }

  /** Ends the rows, and gives all that was written. */
  finish(): Buffer[] {
    this.int16(-1);
    return [...this.pieces, this.bytes.subarray(0, this.end)];
  }

  private nothing(): this {
    return this.int32(-1);
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

  /** Begins an array of one dimension, counted from 1. */
  private beginArray(values: readonly unknown[], oid: number): number {
    const start = this.begin();
    this.int32(1).int32(values.includes(null) ? 1 : 0);
    this.int32(oid).int32(values.length).int32(1);
    return start;
  }

  private utf8(text: string): void {
    this.reserve(text.length * utf8Most);
    this.end += this.bytes.write(text, this.end, 'utf8');
  }

  private int16(value: number): this {
    this.reserve(2);
    this.end = this.bytes.writeInt16BE(value, this.end);
    return this;
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

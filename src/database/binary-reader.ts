/** PostgreSQL counts microseconds, and days, from 2000-01-01. */
const epochMicroseconds = Date.UTC(2000, 0, 1) * 1000;

/** Length of the header of a binary COPY: signature, flags, and the length of an extension that no server sends. */
const headerBytes = 19;

/** Reads fields in PostgreSQL's binary format one after another, each as its length and its bytes (`float8send`, ...). */
export class BinaryReader {
  private at = 0;
  /** Number of bytes of the field that was begun; -1 for NULL. */
  private length = 0;

  constructor(private bytes: Buffer) {}

  /** Continues at a place of other bytes. */
  moveTo(bytes: Buffer, at: number): void {
    this.bytes = bytes;
    this.at = at;
  }

  /** Reads an integer of 1, 2, 4 or 8 bytes. @throws RangeError if it is not safe in a double */
  integer(): number | null {
    return this.begin() ? this.wholeNumber() : null;
  }

  number(): number | null {
    if (!this.begin()) return null;
    this.at += 8;
    return this.bytes.readDoubleBE(this.at - 8);
  }

  /** Reads a `timestamptz` in microseconds since 1970. */
  time(): number | null {
    const microseconds = this.integer();
    return microseconds === null ? null : microseconds + epochMicroseconds;
  }

  text(): string | null {
    if (!this.begin()) return null;
    this.at += this.length;
    return this.bytes.toString('utf8', this.at - this.length, this.at);
  }

  /** Reads a `uuid` or `bytea` as hexadecimal digits. */
  hexadecimal(): string | null {
    if (!this.begin()) return null;
    this.at += this.length;
    return this.bytes.toString('hex', this.at - this.length, this.at);
  }

  /** Reads a `bytea`. It shares memory with the bytes read. */
  raw(): Buffer | null {
    if (!this.begin()) return null;
    this.at += this.length;
    return this.bytes.subarray(this.at - this.length, this.at);
  }

  /** Reads an array of integers. */
  integers(): (number | null)[] | null {
    return this.array(() => this.integer());
  }

  /** Reads a `float8[]`. */
  numbers(): (number | null)[] | null {
    return this.array(() => this.number());
  }

  /** Reads a `text[]`. */
  texts(): (string | null)[] | null {
    return this.array(() => this.text());
  }

  /** Reads an array of at most one dimension. */
  private array<Value>(read: () => Value): Value[] | null {
    if (!this.begin()) return null;
    const dimensions = this.bytes.readInt32BE(this.at);
    // The dimensions, a flag and the type of elements; then the length and the first index of the dimension.
    this.at += 12;
    if (dimensions === 0) return [];
    const length = this.bytes.readInt32BE(this.at);
    this.at += 8;
    const values: Value[] = [];
    for (let index = 0; index < length; index++) values.push(read());
    return values;
  }

  private begin(): boolean {
    this.length = this.bytes.readInt32BE(this.at);
    this.at += 4;
    return this.length >= 0;
  }

  private wholeNumber(): number {
    const { bytes, at, length } = this;
    this.at += length;
    if (length === 1) return bytes.readInt8(at);
    if (length === 2) return bytes.readInt16BE(at);
    if (length === 4) return bytes.readInt32BE(at);
    const value = bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
    if (!Number.isSafeInteger(value)) throw new RangeError('An integer of 8 bytes does not fit a double.');
    return value;
  }
}

/**
 * Reads the rows of a binary COPY.
 * @param chunks the stream, cut anywhere
 * @param read reads all fields of a row
 * @returns the rows that each chunk completes
 */
export async function* readCopy<Row>(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  read: (fields: BinaryReader) => Row,
): AsyncGenerator<Row[]> {
  const reader = new BinaryReader(Buffer.alloc(0));
  let kept: Buffer[] = [];
  let size = 0;
  let needed = headerBytes + 2;
  let isFirst = true;
  for await (const chunk of chunks) {
    kept.push(chunk);
    size += chunk.length;
    if (size < needed) continue;
    const bytes = kept.length === 1 ? chunk : Buffer.concat(kept);
    let at = isFirst ? headerBytes : 0;
    isFirst = false;
    const rows: Row[] = [];
    for (;;) {
      const end = endOfRow(bytes, at);
      if (end.isWhole && end.at === at) break;
      if (!end.isWhole) {
        needed = end.at - at;
        break;
      }
      reader.moveTo(bytes, at + 2);
      rows.push(read(reader));
      at = end.at;
    }
    kept = [bytes.subarray(at)];
    size = bytes.length - at;
    if (rows.length > 0) yield rows;
  }
}

/** Finds the end of the row at an index, or how many bytes are needed at least to find it. The trailer ends at once. */
const endOfRow = (bytes: Buffer, start: number): { isWhole: boolean; at: number } => {
  let at = start + 2;
  if (at > bytes.length) return { isWhole: false, at };
  const fields = bytes.readInt16BE(start);
  if (fields < 0) return { isWhole: true, at: start };
  for (let field = 0; field < fields; field++) {
    if (at + 4 > bytes.length) return { isWhole: false, at: at + 4 };
    at += 4 + Math.max(0, bytes.readInt32BE(at));
    if (at > bytes.length) return { isWhole: false, at };
  }
  return { isWhole: true, at };
};

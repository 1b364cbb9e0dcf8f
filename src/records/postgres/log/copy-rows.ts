import { BinaryFields } from '#database/binary.js';

/** Header of every stream of rows: signature, no flags, no extension. */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');

/** Number of bytes after which a piece ends with its row. */
const pieceSize = 256 * 1024;

/**
 * Writes rows in the binary form of COPY (PostgreSQL, "COPY", "Binary Format"). {@link row} begins a row; its fields
 * follow in the order of the columns.
 */
export class CopyRows extends BinaryFields {
  private readonly pieces: Buffer[] = [];
  /** Number of bytes of the finished pieces. */
  private before = 0;

  constructor(private readonly columns: number) {
    super(pieceSize);
    this.end = header.copy(this.bytes);
  }

  /** Begins a row. */
  row(): this {
    if (this.end >= pieceSize) {
      this.pieces.push(this.written);
      this.before += this.end;
      this.bytes = Buffer.allocUnsafe(this.bytes.length);
      this.end = 0;
    }
    return this.int16(this.columns);
  }

  /** Number of bytes so far. */
  get size(): number {
    return this.before + this.end;
  }

  /** Ends the rows and returns all pieces. */
  finish(): Buffer[] {
    this.int16(-1);
    return [...this.pieces, this.written];
  }
}

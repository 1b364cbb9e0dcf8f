import { BinaryFields } from '../../../binary.js';

/** What every stream of rows begins with: signature, no flags, no extension. */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');

/** Bytes after which a piece ends with its row. */
const pieceSize = 256 * 1024;

/**
 * Rows in the binary form of COPY (PostgreSQL, "COPY", "Binary Format"). Fields are added in the order of the columns,
 * each row begun by {@link row}.
 */
export class CopyRows extends BinaryFields {
  private readonly pieces: Buffer[] = [];
  /** Bytes of the pieces. */
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

  /** Bytes so far. */
  get size(): number {
    return this.before + this.end;
  }

  /** Ends the rows, and gives all that was written. */
  finish(): Buffer[] {
    this.int16(-1);
    return [...this.pieces, this.written];
  }
}

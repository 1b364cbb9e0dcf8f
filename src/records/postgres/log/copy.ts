import type { Connection, PoolClient, Submittable } from 'pg';
import { BinaryFields } from '#database/binary.js';

/**
 * Inserts rows by COPY in its binary form, which is faster than any INSERT. It sends everything at once, without
 * waiting for the server's request. After an error the server skips the rest (PostgreSQL, "Message Flow", "COPY
 * Operations").
 */
export const copyIn = (tx: PoolClient, target: string, pieces: readonly Buffer[]): Promise<void> =>
  new Promise((resolve, reject) => {
    tx.query(
      new CopyIn(`copy ${target} from stdin (format binary)`, pieces, (error) => (error ? reject(error) : resolve())),
    );
  });

/** Methods of pg's connections that send COPY messages. pg's types omit them. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(piece: Buffer): void;
  endCopyFrom(): void;
}

/** One COPY as a query object of pg, which calls these methods for the server's messages. */
class CopyIn implements Submittable {
  constructor(
    private readonly text: string,
    private readonly pieces: readonly Buffer[],
    readonly callback: (error?: Error) => void,
  ) {}

  submit(connection: Connection): void {
    const { stream } = connection;
    stream.cork();
    connection.query(this.text);
    for (const piece of this.pieces) (connection as CopyConnection).sendCopyFromChunk(piece);
    (connection as CopyConnection).endCopyFrom();
    stream.uncork();
  }

  handleCopyInResponse(): void {}

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

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

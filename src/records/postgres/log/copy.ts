import type { Connection, PoolClient, Submittable } from 'pg';

/**
 * Takes rows into a table by COPY in its binary form, which PostgreSQL takes in faster than any INSERT. All of it is sent
 * at once, without waiting for the server to ask: what it does not want after an error it reads over (PostgreSQL,
 * "Message Flow", "COPY Operations").
 */
export const copyIn = (tx: PoolClient, target: string, pieces: readonly Buffer[]): Promise<void> =>
  new Promise((resolve, reject) => {
    tx.query(
      new CopyIn(`copy ${target} from stdin (format binary)`, pieces, (error) => (error ? reject(error) : resolve())),
    );
  });

/** What pg's connections send messages of COPY with; its types leave them out. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(piece: Buffer): void;
  endCopyFrom(): void;
}

/** One COPY as a query of pg: it is told of the server's messages by these names. */
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

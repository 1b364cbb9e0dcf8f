import type { ClientBase, Connection, Submittable } from 'pg';
import { type BinaryReader, readCopy } from './binary-reader.js';

/**
 * Reads the rows of a query by binary COPY, once all of them have arrived. Other than pg-copy-streams it leaves the
 * connection's stream to pg, so that statements may be in flight before and after it.
 * @param query without parameters
 * @param read reads all fields of a row
 */
export const copyRows = async <Row>(
  client: ClientBase,
  query: string,
  read: (fields: BinaryReader) => Row,
): Promise<Row[]> => {
  const pieces = await new Promise<Buffer[]>((resolve, reject) => {
    const text = `copy (${query}) to stdout (format binary)`;
    client.query(new CopyOut(text, (error, all) => (error ? reject(error) : resolve(all))));
  });
  const rows: Row[] = [];
  for await (const page of readCopy(pieces, read)) rows.push(...page);
  return rows;
};

/** One COPY as a query object of pg, which calls these methods for the server's messages. */
class CopyOut implements Submittable {
  private readonly pieces: Buffer[] = [];

  constructor(
    private readonly text: string,
    readonly callback: (error: Error | undefined, pieces: Buffer[]) => void,
  ) {}

  submit(connection: Connection): void {
    connection.query(this.text);
  }

  /** pg reuses the memory of a message for later ones. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.pieces.push(Buffer.from(chunk));
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(undefined, this.pieces);
  }

  handleError(error: Error): void {
    this.callback(error, []);
  }
}

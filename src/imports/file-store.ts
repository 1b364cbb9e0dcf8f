import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';

/** Size of a part of a stored file in bytes. The last part may be shorter. */
export const partSize = 256 * 1024;

/** Stored content of an import: the file as sent, or the rows read from it as NDJSON. */
export type Content = 'file' | 'rows';

/** Writes a file in parts. */
export interface PartWriter {
  /** Adds bytes and writes whole parts. */
  add(bytes: Uint8Array): Promise<void>;
  /** Writes the remaining bytes. */
  end(): Promise<void>;
  /** Number of bytes added so far. */
  readonly size: number;
}

/**
 * Writes the parts of a file from number `first` on, with one statement per part. A part that exists already is
 * replaced.
 * @param head bytes that the first part begins with; `size` does not count them
 */
export const writeParts = (
  database: Queryable,
  importId: string,
  content: Content,
  { first = 0, head = [] }: { first?: number; head?: readonly Uint8Array[] } = {},
): PartWriter => {
  let number = first;
  let size = 0;
  let waiting: Uint8Array[] = [...head];
  let waitingSize = head.reduce((sum, { length }) => sum + length, 0);
  const write = async (bytes: Buffer) => {
    await database.query(sql`
      insert into file_import_part (import_id, content, number, bytes) values (${importId}, ${content}, ${number++}, ${bytes})
      on conflict (import_id, content, number) do update set bytes = excluded.bytes`);
  };
  return {
    get size() {
      return size;
    },
    async add(bytes) {
      size += bytes.length;
      waiting.push(bytes);
      waitingSize += bytes.length;
      if (waitingSize < partSize) return;
      const all = Buffer.concat(waiting);
      let from = 0;
      for (; all.length - from >= partSize; from += partSize) await write(all.subarray(from, from + partSize));
      waiting = [all.subarray(from)];
      waitingSize = all.length - from;
    },
    async end() {
      if (waitingSize > 0) await write(Buffer.concat(waiting));
      waiting = [];
      waitingSize = 0;
    },
  };
};

/** Yields the bytes of a stored file from an offset on, in blocks of at most one part. */
export async function* readFrom(
  database: Queryable,
  importId: string,
  content: Content,
  offset: number,
): AsyncGenerator<Buffer, undefined> {
  let skip = offset % partSize;
  for (let number = Math.floor(offset / partSize); ; number++, skip = 0) {
    const { rows } = await database.query<{ bytes: Buffer }>(sql`
      select bytes from file_import_part where import_id = ${importId} and content = ${content} and number = ${number}`);
    const [part] = rows;
    if (part === undefined) return;
    if (part.bytes.length > skip) yield part.bytes.subarray(skip);
  }
}

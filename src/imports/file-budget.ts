import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { conflict, notFound } from '../errors.js';
import type { PartWriter } from './file-store.js';

type Database = Pick<Pool, 'query'>;

const mebibyte = 2 ** 20;

/** Bytes of all files of an organization that are stored at once, with the rows that were read from those of Parquet. */
const maxStored = 2048 * mebibyte;
/** Bytes after which what a file takes is counted again, and time after which it is, in milliseconds. */
const countEvery = { bytes: 4 * mebibyte, time: 10_000 };

/** The stored form of an import: the file as it came, or the rows that were read from it. */
type Counted = 'bytes' | 'unpacked';

/** An import whose bytes are counted. */
interface Stored {
  id: string;
  organizationId: string;
}

/** @throws conflict where the files of the organization have as many bytes as they may */
export const requireRoom = async (database: Database, organizationId: string): Promise<void> => {
  const { rows } = await database.query<{ stored: number }>(sql`
    select coalesce(sum(bytes + unpacked), 0)::float8 as stored from file_import
     where organization_id = ${organizationId} and state <> 'done'`);
  if (rows[0]!.stored > maxStored)
    throw conflict(
      `The organization's files have more than ${maxStored / mebibyte} MiB together, with the rows of Parquet files: apply or delete some of them first.`,
    );
};

/**
 * Writes down what an import takes, which says that work on it goes on as well.
 * @throws notFound where it was deleted; conflict where the organization's files take too much together
 */
const count = async (database: Database, { id, organizationId }: Stored, of: Counted, size: number, now: Date) => {
  const { rowCount } = await database.query(sql`
    update file_import i set bytes = ${of === 'bytes' ? size : sql`bytes`}, unpacked = ${of === 'unpacked' ? size : sql`unpacked`},
           updated_at = ${now}
     where id = ${id} and not exists (select from file_import_removed r where r.import_id = i.id)`);
  if (rowCount === 0) throw notFound('import');
  await requireRoom(database, organizationId);
};

/**
 * A writer that counts what it writes. Files that are written at the same time see each other every few MiB, so together they
 * may take as much more than they may.
 * @param before bytes that were written by earlier steps
 */
export const countParts = (
  writer: PartWriter,
  {
    database,
    stored,
    of,
    before,
    clock,
  }: {
    database: Database;
    stored: Stored;
    of: Counted;
    before: number;
    clock: () => number;
  },
): PartWriter => {
  let counted = { size: 0, at: clock() };
  const write = async () => {
    counted = { size: writer.size, at: clock() };
    await count(database, stored, of, before + writer.size, new Date(counted.at));
  };
  return {
    get size() {
      return writer.size;
    },
    async add(bytes) {
      await writer.add(bytes);
      const isDue = writer.size - counted.size >= countEvery.bytes || Math.abs(clock() - counted.at) >= countEvery.time;
      if (isDue) await write();
    },
    async end() {
      await writer.end();
      await write();
    },
  };
};

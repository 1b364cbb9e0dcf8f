import sql from 'sql-template-tag';
import { conflict, notFound } from '#common/errors.js';
import type { Queryable } from '#database/queryable.js';
import type { PartWriter } from './file-store.js';

const mebibyte = 2 ** 20;

/** Maximum number of bytes of an organization's stored files, including the rows read from Parquet files. */
const maxStored = 2048 * mebibyte;
/** Bytes and time (milliseconds) after which the size of a file being written is stored again. */
const countEvery = { bytes: 4 * mebibyte, time: 10_000 };

/** Column of an import's size: `bytes` for the file as sent, `unpacked` for the rows read from it. */
type Counted = 'bytes' | 'unpacked';

/** An import whose bytes are counted. */
interface Stored {
  id: string;
  organizationId: string;
}

/**
 * Checks that the organization's files are within their limit.
 * @throws ApiError 409 if they are not
 */
export const requireRoom = async (database: Queryable, organizationId: string): Promise<void> => {
  const { rows } = await database.query<{ stored: number }>(sql`
    select coalesce(sum(bytes + unpacked), 0)::float8 as stored from file_import
     where organization_id = ${organizationId} and state <> 'done'`);
  if (rows[0]!.stored > maxStored)
    throw conflict(
      `The organization's files have more than ${maxStored / mebibyte} MiB together, with the rows of Parquet files: apply or delete some of them first.`,
    );
};

/**
 * Stores the size of an import, which also shows that work on it continues.
 * @throws ApiError 404 if it was deleted, 409 if the organization's files are together too large
 */
const count = async (database: Queryable, { id, organizationId }: Stored, of: Counted, size: number, now: Date) => {
  const { rowCount } = await database.query(sql`
    update file_import i set bytes = ${of === 'bytes' ? size : sql`bytes`}, unpacked = ${of === 'unpacked' ? size : sql`unpacked`},
           updated_at = ${now}
     where id = ${id} and not exists (select from file_import_removed r where r.import_id = i.id)`);
  if (rowCount === 0) throw notFound('import');
  await requireRoom(database, organizationId);
};

/**
 * Wraps a writer and counts the bytes that it writes. Concurrent writers learn of each other's bytes every few MiB, so
 * together they may exceed the limit by as much.
 * @param before bytes that earlier steps wrote
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
    database: Queryable;
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

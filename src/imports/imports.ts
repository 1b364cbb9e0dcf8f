import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { conflict, notFound } from '#common/errors.js';
import { transaction } from '#database/transaction.js';
import type { Caller } from '#entities/caller.js';
import { type FileBody, type FileImport, ImportFormat, ImportKind, type ImportState } from '#entities/file-import.js';
import { newId } from '#entities/id.js';
import { insertJob } from '#jobs/job-row.js';
import type { Jobs } from '#jobs/jobs.js';
import { countParts, requireRoom } from './file-budget.js';
import { writeParts } from './file-store.js';
import { eraseRemoved, findImport, type ImportOptions, isThere } from './import-row.js';
import type { ImportJobInput } from './step.js';
import { upload } from './upload.js';

/** A file to import. */
export interface NewImport {
  organizationId: string;
  kind: ImportKind;
  file: FileBody;
  options: ImportOptions;
  /** Whether the file is only checked at first. */
  dryRun: boolean;
}

/**
 * Builds the statement that writes the audit event of a change to an import. It runs in the transaction of the change.
 */
type EventOf = (found: { id: string; kind: ImportKind }) => Sql;

/** Files of devices and of past records, kept until a job has read them. */
export interface Imports {
  /**
   * Stores a file and starts its dry run or its import.
   * @throws ApiError 413, 422 or 409
   */
  begin(caller: Caller, eventOf: EventOf, file: NewImport): Promise<FileImport>;
  find(organizationId: string, id: string): Promise<FileImport>;
  /**
   * Starts the import of a checked file.
   * @throws ApiError 404 or 409
   */
  apply(caller: Caller, eventOf: EventOf, organizationId: string, id: string): Promise<FileImport>;
  /**
   * Deletes a file and its results. Devices and records stored from it remain.
   * @throws ApiError 404
   */
  remove(eventOf: EventOf, organizationId: string, id: string): Promise<FileImport>;
  /** Deletes files that were not touched for a week, and files whose upload stalled. */
  purge(): Promise<void>;
  /** Deletes files that were marked as removed while a step worked on them. */
  erase(): Promise<void>;
}

const mebibyte = 2 ** 20;

/** Maximum size of a decompressed file in bytes. */
export const maxBytes: Readonly<Record<ImportKind, Readonly<Record<ImportFormat, number>>>> = {
  devices: { csv: 64 * mebibyte, ndjson: 0, parquet: 0 },
  records: { csv: 256 * mebibyte, ndjson: 256 * mebibyte, parquet: 64 * mebibyte },
};

/** Maximum number of stored files of an organization. */
const maxFiles = 20;

/** Time without new bytes after which an upload counts as cut off, for example by a killed process. */
const stalled = sql`interval '5 minutes'`;

/** Limits the time that a call waits for locks. */
const lockTimeout = sql`set local lock_timeout = '2s'`;

/** Returns the kind of job for the kind of import and whether it is a dry run. */
export const jobKind = (kind: ImportKind, dryRun: boolean): string =>
  kind === ImportKind.devices ? (dryRun ? 'checkDevices' : 'importDevices') : dryRun ? 'checkRecords' : 'importRecords';

/** Creates the imports over a pool. */
export const createImports = ({
  pool,
  jobs,
  clock,
  requireStorage,
}: {
  pool: Pool;
  jobs: Pick<Jobs, 'wake'>;
  clock: () => number;
  /** @throws ApiError if the organization has used up its quota of stored bytes */
  requireStorage: (organizationId: string) => void;
}): Imports => {
  const find = async (organizationId: string, id: string): Promise<FileImport> => {
    const found = await findImport(pool, organizationId, id);
    if (found === undefined) throw notFound('import');
    return found;
  };

  /** Starts the job of a file. Returns false if the file is in none of the given states. */
  const start = async (
    { id, organizationId, kind, format, dryRun, total }: StartedImport,
    { caller, eventOf, from }: { caller: Caller; eventOf: EventOf; from: readonly string[] },
  ): Promise<boolean> => {
    const now = new Date(clock());
    const started = await transaction(pool, async (tx) => {
      await tx.query(lockTimeout);
      const { rowCount } = await tx.query(sql`
        update file_import i set state = ${dryRun ? 'checking' : 'applying'}, user_id = ${caller.userId},
               token_id = ${caller.tokenId}, updated_at = ${now}
         where i.id = ${id} and ${isThere} and (i.state = any(${from}::text[])
            or (i.state = 'applying' and exists (select from job j where j.id = i.job_id and j.state = 'failed')))`);
      if (rowCount === 0) return false;
      const input: ImportJobInput = { importId: id, dryRun, total };
      const lane = format === ImportFormat.parquet ? 'apart' : 'main';
      const job = await insertJob(tx, { organizationId, kind: jobKind(kind, dryRun), input, lane }, now);
      await tx.query(sql`update file_import set job_id = ${job.id} where id = ${id}`);
      await tx.query(eventOf({ id, kind }));
      return true;
    });
    if (started) jobs.wake();
    return started;
  };

  return {
    find,
    async begin(caller, eventOf, { organizationId, kind, file, options, dryRun }) {
      const id = newId();
      const { format } = file;
      requireStorage(organizationId);
      await reserve(pool, { id, organizationId, userId: caller.userId, kind, format, options }, new Date(clock()));
      try {
        const counted = { database: pool, stored: { id, organizationId }, of: 'bytes' as const, before: 0, clock };
        const writer = countParts(writeParts(pool, id, 'file'), counted);
        const { lines } = await upload(file.bytes(), writer, { format, maxBytes: maxBytes[kind][format] });
        await start(
          { id, organizationId, kind, format, dryRun, total: lines },
          { caller, eventOf, from: ['uploading'] },
        );
      } catch (error) {
        await pool.query(sql`delete from file_import where id = ${id}`).catch(() => undefined);
        throw error;
      }
      return find(organizationId, id);
    },
    async apply(caller, eventOf, organizationId, id) {
      const { kind, format, lines } = await find(organizationId, id);
      const file = { id, organizationId, kind, format, dryRun: false, total: lines };
      if (await start(file, { caller, eventOf, from: ['checked'] })) return find(organizationId, id);
      const { state } = await find(organizationId, id);
      throw conflict(refusals[state] ?? 'This file cannot be imported.');
    },
    async remove(eventOf, organizationId, id) {
      const found = await find(organizationId, id);
      await transaction(pool, async (tx) => {
        const { rowCount } = await tx.query(sql`
          insert into file_import_removed (import_id, at)
          select id, ${new Date(clock())} from file_import where id = ${id} and organization_id = ${organizationId}
          on conflict do nothing`);
        // Another call has deleted it meanwhile.
        if (rowCount === 0) throw notFound('import');
        await tx.query(eventOf(found));
      });
      await eraseRemoved(pool, id);
      return found;
    },
    async purge() {
      const now = new Date(clock());
      await pool.query(sql`
        delete from file_import where updated_at < ${now}::timestamptz - interval '7 days'
            or (state = 'uploading' and updated_at < ${now}::timestamptz - ${stalled})`);
    },
    erase: () => eraseRemoved(pool),
  };
};

/**
 * Inserts the row of a file before its upload.
 * @throws ApiError 409 if the organization has its maximum of files
 */
const reserve = (pool: Pool, file: ReservedFile, now: Date): Promise<void> => {
  const { id, organizationId, userId, kind, format, options } = file;
  return transaction(pool, async (tx) => {
    await tx.query(lockTimeout);
    // Serializes the calls of an organization, so that concurrent ones do not all count the same files.
    await tx.query(sql`select from account where id = ${organizationId}::uuid for no key update`);
    await requireRoom(tx, organizationId);
    const { rowCount } = await tx.query(sql`
      insert into file_import (id, organization_id, user_id, kind, format, options, state, created_at, updated_at)
      select ${id}::uuid, ${organizationId}::uuid, ${userId}::uuid, ${kind}, ${format}, ${JSON.stringify(options)}::jsonb,
             'uploading', ${now}, ${now}
       where (select count(*) from file_import i
               where organization_id = ${organizationId} and state <> 'done' and ${isThere}
                 and (state <> 'uploading' or updated_at > ${now}::timestamptz - ${stalled})) < ${maxFiles}`);
    if (rowCount === 0)
      throw conflict(
        `The organization has ${maxFiles} files that are not imported. Apply or delete some of them first.`,
      );
  });
};

interface ReservedFile extends Pick<NewImport, 'organizationId' | 'kind' | 'options'> {
  id: string;
  userId: string | null;
  format: ImportFormat;
}

interface StartedImport {
  id: string;
  organizationId: string;
  kind: ImportKind;
  format: ImportFormat;
  dryRun: boolean;
  total: number;
}

const refusals: Partial<Record<ImportState, string>> = {
  checking: 'The dry run of this file is not over yet.',
  applying: 'This file is being imported already.',
  done: 'This file was imported already.',
  failed: 'The dry run of this file failed: delete it, and send it again.',
};

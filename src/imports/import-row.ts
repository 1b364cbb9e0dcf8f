import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import {
  type FileImport,
  type ImportFault,
  type ImportFormat,
  type ImportKind,
  listedFaults,
} from '../entities/file-import.js';
import { isId } from '../entities/id.js';

type Database = Pick<Pool, 'query'>;

/** What a caller chose about an import. */
export type ImportOptions = {
  /** Whether an empty cell clears what it is of. Without, it leaves it as it is. */
  clearEmpty: boolean;
  /** Whether hooks are called with past records. */
  callHooks: boolean;
};

/** An import as its job works on it. */
export interface OpenImport {
  id: string;
  organizationId: string;
  /** The member who sent or applied it; null for the organization itself. */
  userId: string | null;
  /** Of the call that did so; null where that was by an earlier release. */
  tokenId: string | null;
  kind: ImportKind;
  format: ImportFormat;
  options: ImportOptions;
  /** Bytes of the file. */
  bytes: number;
}

/** Imports, as `i`, as callers see them. A job may fail without its import: then the import has failed. */
export const importRows: Sql = sql`
  select i.id, i.organization_id as "organizationId", i.kind, i.format,
         case when j.state = 'failed' then 'failed' else i.state end as state,
         i.bytes::float8 as bytes, i.lines::float8 as lines, i.created::float8 as created, i.updated::float8 as updated,
         i.unchanged::float8 as unchanged, i.rejected::float8 as rejected, i.fault_count::float8 as "faultCount", i.faults,
         i.job_id as "jobId", i.created_at as "createdAt", greatest(i.updated_at, j.updated_at) as "updatedAt"
    from file_import i left join job j on j.id = i.job_id`;

/** Whether an import `i` was not deleted: what is deleted while a step works on it goes a little later. */
export const isThere: Sql = sql`not exists (select from file_import_removed r where r.import_id = i.id)`;

/** Whether the file of an import `i` has come whole, and was not deleted. */
export const isWhole: Sql = sql`i.state <> 'uploading' and ${isThere}`;

/** An import of an organization whose file has come whole. */
export const findImport = async (
  database: Database,
  organizationId: string,
  id: string,
): Promise<FileImport | undefined> => {
  if (!isId(id)) return undefined;
  const { rows } = await database.query<FileImport>(sql`
    ${importRows} where i.id = ${id} and i.organization_id = ${organizationId} and ${isWhole}`);
  return rows[0];
};

const opened: Sql = sql`
  select id, organization_id as "organizationId", user_id as "userId", token_id as "tokenId", kind, format, options,
         bytes::float8 as bytes
    from file_import i`;

/** An import for a step of its job; undefined where it was deleted. */
export const readImport = async (database: Database, id: string): Promise<OpenImport | undefined> => {
  const { rows } = await database.query<OpenImport>(sql`${opened} where id = ${id} and ${isThere}`);
  return rows[0];
};

/** The same, locked. */
export const lockImport = async (tx: Database, id: string): Promise<OpenImport | undefined> => {
  const { rows } = await tx.query<OpenImport>(sql`${opened} where id = ${id} and ${isThere} for no key update of i`);
  return rows[0];
};

/** Deletes imports that were marked, all or one, but for those that a step works on. */
export const eraseRemoved = async (database: Database, id?: string): Promise<void> => {
  await database.query(sql`
    delete from file_import where id in (
      select i.id from file_import i join file_import_removed r on r.import_id = i.id
       where ${id === undefined ? sql`true` : sql`i.id = ${id}`} for update of i skip locked)`);
};

/** What a step did with lines. */
export interface Tally {
  lines: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  faults: readonly ImportFault[];
}

/** Forgets what was counted before: the dry run or the import begins. */
export const beginCounting = async (tx: Database, id: string): Promise<void> => {
  await tx.query(sql`delete from file_import_serial where import_id = ${id}`);
  await tx.query(sql`
    update file_import set lines = 0, created = 0, updated = 0, unchanged = 0, rejected = 0, fault_count = 0, faults = '[]'
     where id = ${id}`);
};

/** Adds what a step did, in its transaction, with the state after it where it was the last one; gives the lines so far. */
export const countStep = async (
  tx: Database,
  id: string,
  tally: Tally,
  { state, now }: { state?: 'checked' | 'done'; now: Date },
): Promise<number> => {
  const { lines, created, updated, unchanged, rejected, faults } = tally;
  const { rows } = await tx.query<{ lines: number }>(sql`
    update file_import set lines = lines + ${lines}, created = created + ${created}, updated = updated + ${updated},
      unchanged = unchanged + ${unchanged}, rejected = rejected + ${rejected}, fault_count = fault_count + ${faults.length},
      faults = case when jsonb_array_length(faults) >= ${listedFaults} then faults else (
        select coalesce(jsonb_agg(f.fault order by f.place), '[]')
          from jsonb_array_elements(faults || ${JSON.stringify(faults.slice(0, listedFaults))}::jsonb)
               with ordinality f (fault, place) where f.place <= ${listedFaults}) end,
      state = coalesce(${state ?? null}, state), updated_at = ${now}
     where id = ${id} returning lines::float8 as lines`);
  return rows[0]!.lines;
};

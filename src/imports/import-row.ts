import sql, { type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import {
  type FileImport,
  type IgnoredValues,
  type ImportFault,
  type ImportFormat,
  type ImportKind,
  listedFaults,
  listedIgnored,
} from '#entities/file-import.js';
import { isId } from '#entities/id.js';
import { addIgnored } from './ignored-values.js';

/** Options that a caller chose for an import. */
export type ImportOptions = {
  /** Whether an empty cell clears the stored value. Otherwise it leaves the value as it is. */
  clearEmpty: boolean;
  /** Whether hooks are called with imported records. */
  callHooks: boolean;
};

/** An import as its job sees it. */
export interface OpenImport {
  id: string;
  organizationId: string;
  /** Member who sent or applied the file; null for the organization itself. */
  userId: string | null;
  /** Token of that call; null if it was served by an earlier release. */
  tokenId: string | null;
  kind: ImportKind;
  format: ImportFormat;
  options: ImportOptions;
  /** Size of the file in bytes. */
  bytes: number;
}

/** Query of imports `i` as callers see them. An import whose job failed shows as failed. */
export const importRows: Sql = sql`
  select i.id, i.organization_id as "organizationId", i.kind, i.format,
         case when j.state = 'failed' then 'failed' else i.state end as state,
         i.bytes::float8 as bytes, i.lines::float8 as lines, i.created::float8 as created, i.updated::float8 as updated,
         i.unchanged::float8 as unchanged, i.rejected::float8 as rejected, i.fault_count::float8 as "faultCount", i.faults,
         i.ignored_count::float8 as "ignoredCount", i.ignored,
         i.job_id as "jobId", i.created_at as "createdAt", greatest(i.updated_at, j.updated_at) as "updatedAt"
    from file_import i left join job j on j.id = i.job_id`;

/** SQL condition: the import `i` was not deleted. The row of a deleted import remains while a step works on it. */
export const isThere: Sql = sql`not exists (select from file_import_removed r where r.import_id = i.id)`;

/** SQL condition: the file of the import `i` was received completely, and the import was not deleted. */
export const isWhole: Sql = sql`i.state <> 'uploading' and ${isThere}`;

/** Returns an import of an organization whose file was received completely, or undefined. */
export const findImport = async (
  database: Queryable,
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

/** Reads an import for a step of its job. Returns undefined if it was deleted. */
export const readImport = async (database: Queryable, id: string): Promise<OpenImport | undefined> => {
  const { rows } = await database.query<OpenImport>(sql`${opened} where id = ${id} and ${isThere}`);
  return rows[0];
};

/** Reads an import like {@link readImport} and locks it. */
export const lockImport = async (tx: Queryable, id: string): Promise<OpenImport | undefined> => {
  const { rows } = await tx.query<OpenImport>(sql`${opened} where id = ${id} and ${isThere} for no key update of i`);
  return rows[0];
};

/** Deletes the imports marked as removed, or one of them, except those that a step works on. */
export const eraseRemoved = async (database: Queryable, id?: string): Promise<void> => {
  await database.query(sql`
    delete from file_import where id in (
      select i.id from file_import i join file_import_removed r on r.import_id = i.id
       where ${id === undefined ? sql`true` : sql`i.id = ${id}`} for update of i skip locked)`);
};

/** Counts of the lines of a step. */
export interface Tally {
  lines: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  faults: readonly ImportFault[];
  /** Values of records that a dry run found not to fit their variables. */
  ignored?: readonly IgnoredValues[];
}

/** Resets the counts at the beginning of a dry run or an import. An import keeps what the dry run found to be ignored. */
export const beginCounting = async (tx: Queryable, id: string, dryRun: boolean): Promise<void> => {
  await tx.query(sql`delete from file_import_serial where import_id = ${id}`);
  await tx.query(sql`
    update file_import set lines = 0, created = 0, updated = 0, unchanged = 0, rejected = 0, fault_count = 0, faults = '[]'
     where id = ${id}`);
  if (dryRun)
    await tx.query(sql`
      update file_import set ignored_count = case kind when 'records' then 0 end, ignored = '[]' where id = ${id}`);
};

/** Adds values that a step found to be ignored. The step has locked the import. */
const countIgnored = async (tx: Queryable, id: string, more: readonly IgnoredValues[]): Promise<void> => {
  if (more.length === 0) return;
  const { rows } = await tx.query<{ ignored: IgnoredValues[] }>(sql`select ignored from file_import where id = ${id}`);
  const all = addIgnored(rows[0]!.ignored, more).slice(0, listedIgnored);
  const count = more.reduce((sum, each) => sum + each.count, 0);
  await tx.query(sql`
    update file_import set ignored_count = coalesce(ignored_count, 0) + ${count}, ignored = ${JSON.stringify(all)}::jsonb
     where id = ${id}`);
};

/**
 * Adds the counts of a step in its transaction, and sets the state if it was the last one. Returns the number of lines
 * so far.
 */
export const countStep = async (
  tx: Queryable,
  id: string,
  tally: Tally,
  { state, now }: { state?: 'checked' | 'done'; now: Date },
): Promise<number> => {
  const { lines, created, updated, unchanged, rejected, faults, ignored = [] } = tally;
  await countIgnored(tx, id, ignored);
  const { rows } = await tx.query<{ lines: number; faultCount: number }>(sql`
    update file_import set lines = lines + ${lines}, created = created + ${created}, updated = updated + ${updated},
      unchanged = unchanged + ${unchanged}, rejected = rejected + ${rejected}, fault_count = fault_count + ${faults.length},
      state = coalesce(${state ?? null}, state), updated_at = ${now}
     where id = ${id} returning lines::float8 as lines, fault_count::float8 as "faultCount"`);
  const listed = rows[0]!.faultCount - faults.length;
  if (faults.length > 0 && listed < listedFaults)
    await tx.query(sql`
      update file_import set faults = faults || ${JSON.stringify(faults.slice(0, listedFaults - listed))}::jsonb where id = ${id}`);
  return rows[0]!.lines;
};

import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { constraintError } from '#common/constraints.js';
import { forbidden, notFound } from '#common/errors.js';
import type { Queryable } from '#database/queryable.js';
import { Role } from '#entities/enums.js';
import { ImportFormat, ImportKind } from '#entities/file-import.js';
import type { JobStepResult } from '#jobs/job-row.js';
import type { PlainJson } from '#json/json.js';
import type { RecordLog } from '#records/record-log.js';
import { stepThroughCsv } from './csv-step.js';
import { type Columns, readColumns } from './device-line.js';
import { takeDevices } from './device-step.js';
import { beginCounting, countStep, lockImport, type OpenImport, readImport, type Tally } from './import-row.js';
import { type LineCursor, stepThroughLines } from './line-step.js';
import { unpackStep } from './parquet-step.js';
import { type RecordColumns, readRecordColumns } from './record-column.js';
import { readRecordRows, takeRecords } from './record-step.js';

/** Input of an import's job. */
export type ImportJobInput = {
  importId: string;
  /** Whether the job only checks the file. */
  dryRun: boolean;
  /** Approximate number of lines of the file. */
  total: number;
};

/** A job in progress. */
interface ImportJob {
  organizationId: string;
  input: PlainJson;
  cursor: PlainJson;
}

const deviceLimits = { rows: 100_000, step: 500 };
const recordLimits = { rows: 5_000_000, step: 1000 };

interface StepOptions {
  pool: Pool;
  clock: () => number;
  records: Pick<RecordLog, 'append'>;
}

/** Result of reading some lines. The last step has no cursor. */
interface Read {
  tally: Tally;
  cursor?: object;
}

/** Creates the steps of jobs: `kinds` read files, `apart` unpack Parquet files before that. */
export const createImportSteps = (options: StepOptions) => {
  const [readFile, unpack] = [createImportStep(options), createUnpackStep(options)];
  return {
    kinds: { checkDevices: readFile, importDevices: readFile, checkRecords: readFile, importRecords: readFile },
    apart: { checkRecords: unpack, importRecords: unpack },
  };
};

/**
 * Creates the step of a job that reads a file. One transaction stores the counts of its lines, the cursor, and the
 * devices. Records are stored in transactions of their own, by idempotent calls that give the same answer when a step
 * is repeated.
 */
const createImportStep =
  ({ clock, records }: StepOptions) =>
  async (tx: PoolClient, job: ImportJob): Promise<JobStepResult> => {
    const { importId, dryRun } = job.input as ImportJobInput;
    const open = await lockImport(tx, importId);
    if (open === undefined) throw notFound('import');
    await requireStillOwner(tx, open);
    // A process of an earlier release has started this job.
    if (open.format === ImportFormat.parquet && !isLineCursor(job.cursor))
      return { cursor: job.cursor, done: 0, changed: 0, finished: false, lane: 'apart' };
    const now = new Date(clock());
    const read = open.kind === ImportKind.devices ? readDevices : readRecords;
    const result = await read(tx, open, job.cursor, { records, dryRun, now }).catch((error: unknown) => {
      // A quota of devices, or a product that was deleted meanwhile: the job fails with the error that any other call
      // gets.
      throw constraintError(error) ?? error;
    });
    return settle(tx, job, result, now);
  };

/**
 * Creates the step of a job that unpacks a part of a Parquet file. It locks nothing meanwhile. Other steps read the
 * lines once all of them are written.
 */
const createUnpackStep =
  ({ pool, clock }: StepOptions) =>
  async (job: ImportJob, signal: AbortSignal) => {
    const { importId } = job.input as ImportJobInput;
    const open = await readImport(pool, importId);
    if (open === undefined) throw notFound('import');
    await requireStillOwner(pool, open);
    const unpacked = await unpackStep(pool, open, job.cursor, { clock, signal }).catch((error: unknown) => {
      // The file was deleted meanwhile.
      throw constraintError(error) ?? error;
    });
    return async (tx: PoolClient): Promise<JobStepResult> => {
      if ((await lockImport(tx, importId)) === undefined) throw notFound('import');
      const now = new Date(clock());
      if ('faults' in unpacked) return settle(tx, job, { tally: { ...emptyTally, faults: unpacked.faults } }, now);
      if (unpacked.cursor !== null) return settle(tx, job, { tally: emptyTally, cursor: unpacked.cursor }, now);
      const lines: RowCursor = { offset: 0, line: 1, rows: 0, dotted: unpacked.dotted };
      return { ...(await settle(tx, job, { tally: emptyTally, cursor: lines }, now)), lane: 'main' };
    };
  };

/** Stores the result of a step, and returns the cursor of the next one. */
const settle = async (tx: PoolClient, job: ImportJob, { tally, cursor }: Read, now: Date): Promise<JobStepResult> => {
  const { importId, dryRun, total } = job.input as ImportJobInput;
  const isFirst = job.cursor === null;
  const finished = cursor === undefined;
  if (isFirst) await beginCounting(tx, importId, dryRun);
  const lines = await countStep(tx, importId, tally, {
    now,
    ...(finished && { state: dryRun ? 'checked' : 'done' }),
  });
  if (finished) await tx.query(sql`delete from file_import_serial where import_id = ${importId}`);
  if (finished && !dryRun) await tx.query(sql`delete from file_import_part where import_id = ${importId}`);
  return {
    cursor: (cursor ?? {}) as PlainJson,
    done: tally.lines,
    changed: tally.created + tally.updated,
    ...(finished ? { total: lines } : isFirst && { total }),
    finished,
  };
};

interface Run {
  records: Pick<RecordLog, 'append'>;
  dryRun: boolean;
  now: Date;
}

const readDevices = (tx: PoolClient, open: OpenImport, cursor: PlainJson, { dryRun, now }: Run): Promise<Read> =>
  stepThroughCsv<Columns>(tx, open.id, cursor as never, {
    limits: deviceLimits,
    readColumns,
    take: (rows, header) => takeDevices(tx, open, rows, header, { dryRun, now }),
  });

const readRecords = async (tx: PoolClient, open: OpenImport, cursor: PlainJson, run: Run): Promise<Read> => {
  if (open.format === ImportFormat.csv)
    return stepThroughCsv<RecordColumns>(tx, open.id, cursor as never, {
      limits: recordLimits,
      readColumns: readRecordColumns,
      async take(rows, header, offset) {
        const lines = await readRecordRows(tx, open.organizationId, rows, header);
        return takeRecords(tx, open, lines, { ...run, offset, count: rows.length, columns: header.columns });
      },
    });
  const content = open.format === ImportFormat.parquet ? ('rows' as const) : ('file' as const);
  const before = cursor as RowCursor | null;
  const dotted = before?.dotted ?? [];
  const step = await stepThroughLines(
    tx,
    { importId: open.id, content, limits: recordLimits },
    before,
    (lines, offset) => takeRecords(tx, open, lines, { ...run, offset, count: lines.length, dotted }),
  );
  return step.cursor === undefined || dotted.length === 0 ? step : { ...step, cursor: { ...step.cursor, dotted } };
};

/** Progress of reading the rows of a Parquet file: `dotted` has the names of values whose dots made objects. */
type RowCursor = LineCursor & { dotted?: readonly string[] };

const isLineCursor = (cursor: PlainJson): boolean =>
  typeof cursor === 'object' && cursor !== null && 'offset' in cursor;

const emptyTally: Tally = { lines: 0, created: 0, updated: 0, unchanged: 0, rejected: 0, faults: [] };

interface Standing {
  isOwner: boolean;
  isEnabled: boolean;
  isRevoked: boolean;
}

/**
 * Checks that the sender of a file may still import it: a member who is an owner, or the organization itself. A token
 * that has expired since does not end the work, because it was valid when the work was requested.
 * @throws ApiError 403
 */
async function requireStillOwner(
  database: Queryable,
  { organizationId, userId, tokenId }: Pick<OpenImport, 'organizationId' | 'userId' | 'tokenId'>,
): Promise<void> {
  const { rows } = await database.query<Standing>(sql`
    select ${userId}::uuid is null or coalesce(m.role = ${Role.owner}, false) as "isOwner",
           not o.disabled and not coalesce(u.disabled, false) as "isEnabled",
           t.revoked_at is not null as "isRevoked"
      from account o
      left join membership m on m.organization_id = o.id and m.user_id = ${userId}
      left join account u on u.id = m.user_id
      left join api_token t on t.id = ${tokenId}
     where o.id = ${organizationId}`);
  const standing = rows[0];
  if (!standing?.isOwner) throw forbidden('The account that sent this file is no longer an owner of the organization.');
  if (!standing.isEnabled) throw forbidden('The account that sent this file is disabled.');
  if (standing.isRevoked)
    throw forbidden('The token that this file was sent with is revoked: apply it with another one.');
}

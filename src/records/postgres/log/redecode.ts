import type { PoolClient } from 'pg';
import sql, { empty, type Sql } from 'sql-template-tag';
import { notFound } from '#common/errors.js';
import { nilId } from '#entities/id.js';
import { type AttributeHistory, loadAttributes } from '#records/derive/attribute.js';
import { contentToday } from '#records/new-record.js';
import type { LogJob, LogStep } from '#records/record-log.js';
import { loadShape, type ProductShape } from '#records/scope/product-shape.js';
import { startOf } from '../blocks/noted-day.js';
import { findAloneDays, thawDay } from '../blocks/thaw-day.js';
import { findPastsOf, lockRows, noteChanged, type Pasts } from '../earlier/redecode.js';
import { positionOf } from '../earlier/stored-line.js';
import { keepRows } from '../upkeep/alone-day.js';
import { type Rewritten, rewriteRecords, rewrittenOf, type StoredRow, storedColumns } from './rewrite.js';

/** Selects the records of one product to decode again. `from` and `to` are Unix seconds, both included. */
export interface RedecodeInput {
  productId: string;
  /** Only records of these devices; absent: of all. */
  deviceIds?: string[];
  from: number | null;
  to: number | null;
  /** Whether to only count what would change. */
  dryRun: boolean;
}

/** Position of the last record of a step. */
type Cursor = { ts: string; seq: string; id?: string };

/** Maximum number of records of one step. */
const stepSize = 2000;

/**
 * Decodes a page of stored frames again with the product's current variables, computes derived variables again, and types
 * the values of records that came decoded. Hooks are not called, because nothing new was measured.
 */
export const redecode = async (tx: PoolClient, job: LogJob): Promise<LogStep> => {
  const { organizationId } = job;
  const input = job.input as unknown as RedecodeInput;
  const cursor = job.cursor as Cursor | null;
  const shape = await loadShape(tx, input.productId, organizationId);
  if (!shape) throw notFound('product');
  await keepRows(tx);
  const within = { from: input.from ?? -Infinity, to: input.to ?? Infinity };
  const alone = await findAloneDays(tx, { organization_id: organizationId, product_id: input.productId }, within);
  const range = rangeOf(organizationId, input);
  // Days in blocks alone get their rows again when their turn comes, so that never more than needed have some.
  const [next] = alone;
  const before = next ? sql` and ts < ${startOf(next.day)}` : empty;
  const isInLines = shape.derivation?.earlier !== undefined;
  const readPage = (more: Sql) => readRows(tx, sql`${range}${before}${more}`, cursor, isInLines);
  const product = { organizationId, productId: input.productId };
  const page = await readPage(empty);
  const rows = isInLines ? await lockRows(tx, product, page, readPage) : page;
  const names = shape.derivation?.attributes ?? [];
  const attributes = await loadAttributes(
    tx,
    rows.map(({ deviceId, seconds }) => ({ deviceId, ts: seconds, names })),
  );
  const pasts = await findPastsOf(tx, product, rows, shape);
  const changes = rows.flatMap((row) => changeOf(row, shape, attributes, pasts) ?? []);
  if (!input.dryRun) {
    await rewriteRecords(tx, product, changes);
    if (pasts) await noteChanged(tx, product, { rows, changes, earlier: pasts.earlier, isOpen: input.to === null });
  }
  const total = cursor === null ? alone.reduce((sum, { n }) => sum + n, await countAll(tx, range)) : undefined;
  const isThawed = next !== undefined && rows.length < stepSize;
  if (isThawed) await thawDay(tx, next);
  const last = rows.at(-1);
  return {
    cursor: last ? { ts: last.ts, seq: last.seq, id: last.id } : cursor,
    done: rows.length,
    changed: changes.length,
    ...(total !== undefined && { total }),
    finished: rows.length < stepSize && !isThawed,
  };
};

/** Reads a page of records. Those that read each other are in the order of their lines. */
const readRows = async (tx: PoolClient, where: Sql, cursor: Cursor | null, isInLines: boolean): Promise<Row[]> => {
  const order = isInLines ? sql`record.ts, id` : sql`record.ts, seq`;
  const after = isInLines ? sql`${cursor?.id ?? nilId}::uuid` : sql`${cursor?.seq ?? '0'}::bigint`;
  const { rows } = await tx.query<Row>(sql`
    select ${storedColumns}, seq::text from record
     where ${where} and (${order}) > (${cursor?.ts ?? '-infinity'}::timestamptz, ${after})
     order by ${order} limit ${stepSize}`);
  return rows;
};

const rangeOf = (organizationId: string, { productId, deviceIds, from, to }: RedecodeInput): Sql => sql`
  organization_id = ${organizationId} and product_id = ${productId}
  ${deviceIds ? sql`and device_id = any(${deviceIds}::uuid[])` : empty}
  and ts between to_timestamp(${from ?? '-infinity'}::float8) and to_timestamp(${to ?? 'infinity'}::float8)`;

const countAll = async (tx: PoolClient, range: Sql): Promise<number> => {
  const { rows } = await tx.query<{ total: number }>(sql`select count(*)::float8 as total from record where ${range}`);
  return rows[0]?.total ?? 0;
};

/** A stored record with its place among those of the same time. */
type Row = StoredRow & { seq: string };

/** Returns the record as it would be stored today, or undefined if nothing would change. Adds it to the past. */
const changeOf = (
  row: Row,
  shape: ProductShape,
  attributes: AttributeHistory | undefined,
  pasts: Pasts | undefined,
): Rewritten | undefined => {
  const { deviceId, seconds: ts } = row;
  const past = pasts?.of(deviceId);
  const today = contentToday(row, shape, { attribute: attributes?.at(deviceId, ts), past, ts });
  past?.add(positionOf(row), pasts!.earlier.measured(today.data));
  return rewrittenOf(row, today, shape.slots);
};

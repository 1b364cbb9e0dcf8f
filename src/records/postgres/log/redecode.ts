import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import sql, { empty, type Sql } from 'sql-template-tag';
import { notFound } from '#common/errors.js';
import { type AttributeHistory, loadAttributes } from '#records/derive/attribute.js';
import type { PlainObject } from '#records/item.js';
import { contentToday, type GivenFields, type StoredFrame } from '#records/new-record.js';
import type { LogJob, LogStep } from '#records/record-log.js';
import { loadShape, type ProductShape } from '#records/scope/product-shape.js';
import { type TypedData, typeData } from '#records/typed-data.js';
import { startOf } from '../blocks/noted-day.js';
import { findAloneDays, thawDay } from '../blocks/thaw-day.js';
import { keepRows } from '../upkeep/alone-day.js';
import { markDirty } from './dirty.js';

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
type Cursor = { ts: string; seq: string };

interface Row {
  id: string;
  deviceId: string;
  ts: string;
  seq: string;
  seconds: number;
  metadata: PlainObject;
  data: PlainObject;
  frame: StoredFrame | null;
  given: GivenFields | null;
  numbers: (number | null)[] | null;
  texts: (string | null)[] | null;
  many: TypedData['many'] | null;
  ignored: string[] | null;
}

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
  const { rows } = await tx.query<Row>(sql`
    select id, device_id as "deviceId", ts::text, seq::text, extract(epoch from ts)::float8 as seconds, metadata, data, frame, given,
      numbers, texts, many, ignored
    from record where ${range}${before} and (ts, seq) > (${cursor?.ts ?? '-infinity'}::timestamptz, ${cursor?.seq ?? '0'}::bigint)
    order by ts, seq limit ${stepSize}`);
  const names = shape.derivation?.attributes ?? [];
  const needs = rows.map(({ deviceId, seconds }) => ({ deviceId, ts: seconds, names }));
  const attributes = await loadAttributes(tx, needs);
  const changes = rows.flatMap((row) => changeOf(row, shape, attributes) ?? []);
  if (!input.dryRun && changes.length > 0) {
    await update(tx, changes);
    await markDirty(
      tx,
      changes.map(({ seconds }) => ({ organizationId, productId: input.productId, ts: seconds })),
    );
  }
  const total = cursor === null ? alone.reduce((sum, { n }) => sum + n, await countAll(tx, range)) : undefined;
  const isThawed = next !== undefined && rows.length < stepSize;
  if (isThawed) await thawDay(tx, next);
  const last = rows.at(-1);
  return {
    cursor: last ? { ts: last.ts, seq: last.seq } : cursor,
    done: rows.length,
    changed: changes.length,
    ...(total !== undefined && { total }),
    finished: rows.length < stepSize && !isThawed,
  };
};

const rangeOf = (organizationId: string, { productId, deviceIds, from, to }: RedecodeInput): Sql => sql`
  organization_id = ${organizationId} and product_id = ${productId}
  ${deviceIds ? sql`and device_id = any(${deviceIds}::uuid[])` : empty}
  and ts between to_timestamp(${from ?? '-infinity'}::float8) and to_timestamp(${to ?? 'infinity'}::float8)`;

const countAll = async (tx: PoolClient, range: Sql): Promise<number> => {
  const { rows } = await tx.query<{ total: number }>(sql`select count(*)::float8 as total from record where ${range}`);
  return rows[0]?.total ?? 0;
};

interface Change extends TypedData {
  id: string;
  ts: string;
  seconds: number;
  metadata: PlainObject;
  data: PlainObject;
  given: GivenFields | undefined;
}

/** Returns the record as it would be stored today, or undefined if nothing would change. */
const changeOf = (row: Row, shape: ProductShape, attributes: AttributeHistory | undefined): Change | undefined => {
  const { id, ts, seconds, metadata, data, given } = row;
  const now = contentToday(row, shape, attributes?.at(row.deviceId, seconds));
  const typed = typeData(now.data, shape.slots);
  const same =
    isDeepStrictEqual(now, { metadata, data, given: given ?? undefined }) &&
    isDeepStrictEqual(typed.numbers ?? null, row.numbers) &&
    isDeepStrictEqual(typed.texts ?? null, row.texts) &&
    isDeepStrictEqual(typed.many ?? null, row.many) &&
    isDeepStrictEqual(typed.ignored ?? null, row.ignored);
  return same ? undefined : { id, ts, seconds, ...now, ...typed };
};

const update = async (tx: PoolClient, changes: readonly Change[]): Promise<void> => {
  await tx.query(sql`
    update record r set metadata = w.metadata, data = w.data, given = w.given, numbers = w.numbers, texts = w.texts, many = w.many, ignored = w.ignored
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      as w (id uuid, ts timestamptz, metadata jsonb, data jsonb, given jsonb, numbers float8[], texts text[], many jsonb, ignored text[])
    where r.id = w.id and r.ts = w.ts`);
};

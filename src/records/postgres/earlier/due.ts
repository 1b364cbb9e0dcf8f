import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { daySeconds } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import { loadShape } from '#records/scope/product-shape.js';
import { findAloneDays, thawDay } from '../blocks/thaw-day.js';
import { rewriteRecords } from '../log/rewrite.js';
import { keepRows } from '../upkeep/alone-day.js';
import { type Line, lockLines } from './newest.js';
import { findAloneSpan } from './stored-line.js';
import { storedReader } from './stored-reader.js';
import { type Rest, Walk, type WalkedLine } from './walk.js';

/**
 * Records of a line to compute again. Both times are Unix seconds: `from` is that of the first record to compute, `to`
 * that of the last one that is new or has changed, and may be earlier.
 */
export interface DueLine extends Line {
  organizationId: string;
  from: number;
  to: number;
  /** Variables with other values than those that the records after `to` have read. */
  names: readonly string[];
}

/** Notes records that the upkeep computes again. The transaction holds the locks of their lines. */
export const noteDue = async (tx: PoolClient, due: readonly DueLine[]): Promise<void> => {
  if (due.length === 0) return;
  const rows = due.map(({ deviceId, productId, organizationId, from, to, names }) => ({
    device_id: deviceId,
    product_id: productId,
    organization_id: organizationId,
    first: from,
    last: to,
    names,
  }));
  await tx.query(sql`
    insert into record_recompute as n (device_id, product_id, organization_id, first_ts, last_ts, names)
    select device_id, product_id, organization_id, to_timestamp(first), to_timestamp(last), names
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as w (device_id uuid, product_id uuid, organization_id uuid, first float8, last float8, names text[])
    on conflict (device_id, product_id) do update
      set first_ts = least(n.first_ts, excluded.first_ts), last_ts = greatest(n.last_ts, excluded.last_ts),
        names = array(select distinct unnest(n.names || excluded.names))`);
};

/** Maximum number of records that one transaction computes again. */
export const maxRecomputed = 5000;

/** Computes records again where they are stored. */
export interface Recomputing {
  /** Waits, before the lock, until all records of an organization can be read. */
  ready?(organizationId: string): Promise<void>;
  /** Computes under the lock of the line. Returns what is left. */
  compute(tx: PoolClient, line: DueLine & WalkedLine): Promise<Rest | undefined>;
}

/** Computes the records of one note again. Returns whether more notes may remain. */
export const recomputeDue = async (
  pool: Pool,
  { ready, compute }: Recomputing = { compute: computeStored },
): Promise<boolean> => {
  const { rows } = await pool.query<Line & { organizationId: string }>(sql`
    select device_id as "deviceId", product_id as "productId", organization_id as "organizationId"
      from record_recompute order by noted_at limit 1`);
  const [line] = rows;
  if (line === undefined) return false;
  const version = ready && (await versionOf(pool, line));
  await ready?.(line.organizationId);
  // Outside of the transaction, because new slots are read over other connections.
  const shape = await loadShape(pool, line.productId, line.organizationId);
  return transaction(pool, async (tx) => {
    // Whoever stores takes the lock of the line before it notes something, too.
    await lockLines(tx, [line]);
    // A record that was stored meanwhile may not be readable yet.
    if (ready && version !== (await versionOf(tx, line))) {
      await tx.query(sql`
        update record_recompute set noted_at = clock_timestamp()
         where device_id = ${line.deviceId} and product_id = ${line.productId}`);
      return false;
    }
    const { rows: taken } = await tx.query<DueLine>(sql`
      delete from record_recompute where device_id = ${line.deviceId} and product_id = ${line.productId}
      returning device_id as "deviceId", product_id as "productId", organization_id as "organizationId",
        extract(epoch from first_ts)::float8 as "from", extract(epoch from last_ts)::float8 as "to", names`);
    const [due] = taken;
    if (due === undefined || shape?.derivation?.earlier === undefined) return true;
    const walked = { ...due, shape: shape as WalkedLine['shape'], span: undefined };
    const rest = await compute(tx, walked);
    if (rest) await noteDue(tx, [{ ...due, from: rest.row.seconds, names: [...rest.names] }]);
    return true;
  });
};

/** Returns what changes whenever a record of the line is stored. */
const versionOf = async (database: Queryable, { deviceId, productId }: Line): Promise<string | undefined> => {
  const { rows } = await database.query<{ version: string }>(sql`
    select concat(n.xmin, ' ', e.xmin) as version
      from record_recompute n left join record_earlier e using (device_id, product_id)
     where n.device_id = ${deviceId} and n.product_id = ${productId}`);
  return rows[0]?.version;
};

const computeStored: Recomputing['compute'] = async (tx, due) => {
  await keepRows(tx);
  const line = { ...due, span: await findAloneSpan(tx, due) };
  const walk = new Walk(tx, line, storedReader(tx, line), maxRecomputed);
  await walk.recompute(due);
  await rewriteRecords(tx, due, walk.changes);
  if (walk.rest?.row.isAlone) await thaw(tx, due, walk.rest.row.seconds);
  return walk.rest;
};

/** Restores the rows of a day in blocks alone, so that they can be computed again. */
const thaw = async (tx: PoolClient, { organizationId, productId }: DueLine, seconds: number): Promise<void> => {
  const start = Math.floor(seconds / daySeconds) * daySeconds;
  const owner = { organization_id: organizationId, product_id: productId };
  for (const day of await findAloneDays(tx, owner, { from: start, to: start })) await thawDay(tx, day);
};

/** Forgets what is kept of a deleted device. */
export const forgetDevice = async (pool: Pool, deviceId: string): Promise<void> => {
  await pool.query(sql`delete from record_earlier where device_id = ${deviceId}`);
  await pool.query(sql`delete from record_recompute where device_id = ${deviceId}`);
};

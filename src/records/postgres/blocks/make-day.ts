import type { Pool, PoolClient } from 'pg';
import { DatabaseError } from 'pg';
import sql from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import type { Block } from '#records/blocks/block.js';
import type { PathNumbers } from '#records/blocks/column-number.js';
import { cutBlocks } from '#records/blocks/cut-blocks.js';
import { decodeBlock } from '#records/blocks/decode-block.js';
import { encodeBlock } from '#records/blocks/encode-block.js';
import { midnightsOf } from '#records/blocks/run.js';
import type { StoredRow } from '#records/blocks/stored-row.js';
import { utc, zoneOf } from '#search/date/zone.js';
import { type Owner, ownedBy } from '../upkeep/rollup-day.js';
import { BlockFault, deletedDevices, loadPaths } from './block-rows.js';
import { allOf, readBlock, writeBlock } from './block-store.js';
import { readAloneDay, readDay } from './day-rows.js';
import { noteFault } from './delete-blocks.js';
import { differenceOf } from './difference.js';
import { deleteFleet } from './fleet-table.js';
import { replaceRollups } from './left-out-day.js';
import { deleteNote, isUnchanged, lockMaking, type NotedDay, postpone, startOf } from './noted-day.js';
import { noteSeen } from './seen-value.js';
import { inSnapshot, prepareLong } from './snapshot.js';

/** Result of making a day. */
export type MadeDay =
  /** Its records are in blocks. */
  | { outcome: 'made'; records: number }
  /** Its records changed, and it will be made later. */
  | { outcome: 'changed' }
  /** Another process makes blocks. */
  | { outcome: 'busy' }
  /** It waits for its next change. */
  | { outcome: 'fault'; fault: string };

/**
 * Makes the blocks of a day from its records, reads them back and compares them. It needs two connections: one reads
 * the records in a snapshot, the other one writes all blocks in one transaction. If they differ, nothing is written but
 * the fault.
 * @throws Error if the database could not be reached or has no room; nothing is written
 */
export const makeDay = async (pool: Pool, day: NotedDay): Promise<MadeDay> => {
  try {
    await numberOwner(pool, day);
    const made = await transaction(
      pool,
      async (tx): Promise<MadeDay> => {
        if (!(await lockMaking(tx))) return { outcome: 'busy' };
        await prepareLong(tx);
        const source = await findSource(tx, day);
        if (source === undefined) return { outcome: 'changed' };
        const place = { ...source, day: day.day };
        const isAlone = await lockAlone(tx, place);
        const records = await inSnapshot(pool, async (reader) => {
          if (!(await isUnchanged(reader, day))) return undefined;
          if (!isAlone) return writeDay(tx, readDay(reader, day, day.day), place);
          const gone = await deletedDevices(reader);
          const rows = await allOf(readDay(reader, day, day.day));
          // Rows of deleted devices stay for their purge.
          const late = rows.filter(({ device }) => !gone.has(device));
          const written = await writeDay(tx, readAloneDay(reader, place, { late, gone }), place);
          await deleteLate(tx, day, late);
          return written;
        });
        if (records === undefined) return { outcome: 'changed' };
        if (records > 0) await replaceRollups(tx, day, source.source, day.day);
        if (!(await deleteNote(tx, day))) return { outcome: 'changed' };
        return { outcome: 'made', records };
      },
      ({ outcome }) => outcome === 'made',
    );
    if (made.outcome === 'changed') await postpone(pool, day);
    return made;
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    await noteFault(pool, day, fault);
    return { outcome: 'fault', fault };
  }
};

/**
 * Numbers an owner and the devices of its records, in short transactions: others may note days meanwhile.
 *
 * - A new number notes all days of its owner, because processes of an earlier release noted none.
 * - The snapshot that is read next sees the numbers of all devices of hours that have their rollups.
 */
export const numberOwner = async (database: Queryable, owner: Owner): Promise<void> => {
  await database.query(sql`
    with source as (
      insert into record_block_source (organization_id, product_id)
      select ${owner.organization_id}::uuid, ${owner.product_id}::uuid
      where not exists (select from record_block_source where ${ownedBy(owner)})
      on conflict do nothing returning 1
    )
    insert into record_dirty_block (organization_id, product_id, day)
    select distinct organization_id, product_id, date_trunc('day', hour, 'UTC') from record_total
    where ${ownedBy(owner)} and slot = 0 and exists (select from source)
    on conflict do nothing`);
  await database.query(sql`
    insert into record_block_device (device_id)
    select device_id from record_source s
    where ${ownedBy(owner)} and not exists (select from record_block_device d where d.device_id = s.device_id)
    on conflict do nothing`);
};

/** Numbers all owners that have no number yet, for whose records no process may have noted a day. */
export const numberOwners = async (database: Queryable): Promise<void> => {
  const { rows } = await database.query<Owner>(sql`
    select distinct organization_id, product_id from record_source o where not exists (
      select from record_block_source s
      where s.organization_id = o.organization_id and s.product_id is not distinct from o.product_id)`);
  for (const owner of rows) await numberOwner(database, owner);
};

/** Number of an owner, and the time zone of its organization. */
interface Source {
  source: number;
  timeZone: string;
}

/** Undefined if all blocks were deleted meanwhile. */
const findSource = async (tx: PoolClient, owner: Owner): Promise<Source | undefined> => {
  const { rows } = await tx.query<Source>(sql`
    select s.source, coalesce(a.time_zone, 'UTC') as "timeZone"
    from (select * from record_block_source where ${ownedBy(owner)}) s left join account a on a.id = s.organization_id`);
  return rows[0];
};

/** Whether blocks alone hold the records of a day, which stays so until the end of the transaction. */
const lockAlone = async (tx: PoolClient, { source, day }: Source & { day: number }): Promise<boolean> => {
  const { rowCount } = await tx.query(sql`
    select from record_blocked where source = ${source} and day = 'epoch'::date + ${day}::int and alone for update`);
  return rowCount === 1;
};

/** Deletes the rows of a day that its blocks hold now. Later ones stay. */
const deleteLate = async (tx: PoolClient, { day, ...owner }: NotedDay, late: readonly StoredRow[]): Promise<void> => {
  if (late.length === 0) return;
  await tx.query(sql`
    delete from record where id = any(${late.map(({ id }) => id)}::uuid[])
      and ${ownedBy(owner)} and ts >= ${startOf(day)} and ts < ${startOf(day + 1)}`);
};

/** Writes the blocks of a day in place of its earlier ones. Returns the number of records. */
const writeDay = async (
  tx: PoolClient,
  pages: AsyncIterable<readonly StoredRow[]>,
  { source, timeZone, day }: Source & { day: number },
): Promise<number> => {
  const paths = await loadPaths(tx, source);
  // Another release may know other names.
  const cuts = midnightsOf(zoneOf(timeZone) ?? utc, day * dayMs, (day + 1) * dayMs);
  const { rows: earlier } = await tx.query<{ block: number }>(
    sql`select block from record_block where source = ${source} and day = 'epoch'::date + ${day}::int`,
  );
  let records = 0;
  for await (const rows of cutBlocks(pages)) {
    await makeBlock(tx, rows, { source, day, paths, cuts });
    records += rows.length;
  }
  const replaced = earlier.map(({ block }) => block);
  await tx.query(sql`
    with block as (
      delete from record_block where block = any(${replaced}::int[])
    ), columns as (
      delete from record_block_column where block = any(${replaced}::int[])
    ), sums as (
      delete from record_block_sum where block = any(${replaced}::int[])
    ), fleet as (${deleteFleet(sql`select ${source}::int as source, 'epoch'::date + ${day}::int as day`)}
    )
    delete from record_blocked where source = ${source} and day = 'epoch'::date + ${day}::int and ${records}::int = 0`);
  if (records > 0)
    await tx.query(sql`
      insert into record_blocked (source, day, n, made_at, time_zone)
      values (${source}, 'epoch'::date + ${day}::int, ${records}, clock_timestamp(), ${timeZone})
      on conflict (source, day) do update
      set n = excluded.n, made_at = excluded.made_at, time_zone = excluded.time_zone, summed_at = null`);
  return records;
};

/** Source, day and paths of a block, and the local midnights at which its runs end. */
interface BlockOptions {
  source: number;
  day: number;
  paths: PathNumbers;
  cuts: readonly number[];
}

/** Writes a block, and compares with the records what PostgreSQL has stored of it. */
const makeBlock = async (
  tx: PoolClient,
  rows: readonly StoredRow[],
  { source, day, paths, cuts }: BlockOptions,
): Promise<void> => {
  if (rows[0]!.device === 0) throw new BlockFault('A device of the records has no number.');
  const content = encodeBlock(rows, { paths, cuts });
  const added = paths.takeAdded();
  await tx.query(sql`
    insert into record_block_path (source, col, path)
    select ${source}, col, path
    from unnest(${added.map(({ col }) => col)}::int[], ${added.map(({ path }) => path)}::text[]) p (col, path)`);
  const { rows: numbers } = await tx.query<{ block: number }>(`select nextval('record_block_number')::int as block`);
  const { block } = numbers[0]!;
  await writeBlock(tx, { block, source, day, days: 1 }, content);
  const difference = differenceOf(rows, restore(await readBlock(tx, block), paths));
  if (difference !== undefined) throw new BlockFault(`A block ${difference}.`);
  await noteSeen(tx, rows, source, day);
};

/** @throws BlockFault if the block cannot be decoded */
const restore = (content: Block, paths: PathNumbers): StoredRow[] => {
  try {
    return decodeBlock(content, paths);
  } catch (error) {
    throw new BlockFault(`A block cannot be decoded (${(error as Error).name}).`);
  }
};

/** SQLSTATEs of values that PostgreSQL refuses, by class: data exceptions, and limits such as the length of an array. */
const refused = /^(22|54)/;

/** Describes why a day cannot be in blocks. Undefined for errors that another try may not meet. */
const faultOf = (error: unknown): string | undefined => {
  if (error instanceof BlockFault) return error.message;
  if (error instanceof DatabaseError)
    return refused.test(error.code ?? '') ? `PostgreSQL refused a block (SQLSTATE ${error.code}).` : undefined;
  // Messages of these say what is too large, and no value.
  if (error instanceof RangeError) return error.message;
  const isOfCode = error instanceof TypeError || error instanceof SyntaxError || error instanceof ReferenceError;
  return isOfCode ? `A block cannot be made (${error.name}).` : undefined;
};

import { stdout } from 'node:process';
import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { Block } from '#records/blocks/block.js';
import { PathNumbers } from '#records/blocks/column-number.js';
import { cutBlocks } from '#records/blocks/cut-blocks.js';
import { decodeBlock } from '#records/blocks/decode-block.js';
import { encodeBlock } from '#records/blocks/encode-block.js';
import { allOf, readBlock, writeBlock } from '#records/postgres/blocks/block-store.js';
import { readDay } from '#records/postgres/blocks/day-rows.js';
import { differenceOf } from '#records/postgres/blocks/difference.js';
import { numberOwner } from '#records/postgres/blocks/make-day.js';
import type { PacedOwner } from './blocks-fleet.js';
import { processorOf } from './processor.js';

/** Steps of making blocks. */
const steps = ['read rows', 'encode', 'write', 'read back', 'decode', 'compare'] as const;
type Step = (typeof steps)[number];

/**
 * Makes blocks of the records of a fleet, day by day, and reads them back. Reports the bytes of each table and the
 * processor time of each step, of this process and the database, by record.
 * @throws Error if a record differs
 */
export const measureBlocks = async (pool: Pool, { organizationId, productId }: PacedOwner): Promise<void> => {
  const owner = { organization_id: organizationId, product_id: productId };
  await numberOwner(pool, owner);
  const client = await pool.connect();
  const { pid: backend } = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!;
  const costs = new Map<Step, number>();
  const paths = new PathNumbers();
  let [records, number] = [0, 0];
  const spend = async <Result>(step: Step, work: () => Result | Promise<Result>): Promise<Result> => {
    const [before, own] = [processorOf(backend), process.cpuUsage()];
    const result = await work();
    const { user, system } = process.cpuUsage(own);
    costs.set(step, (costs.get(step) ?? 0) + processorOf(backend) - before + user + system);
    return result;
  };
  for (const day of await daysOf(client, productId)) {
    const groups = await spend('read rows', () => allOf(pagesOf(cutBlocks(readDay(client, owner, day)))));
    const blocks = await spend('encode', () => groups.map((rows) => encodeBlock(rows, { paths })));
    const placed = blocks.map((content) => ({ block: ++number, source: 1, day, days: 1, content }));
    await spend('write', async () => {
      for (const { content, ...place } of placed) await writeBlock(client, place, content);
    });
    const found: Block[] = await spend('read back', async () => {
      const back: Block[] = [];
      for (const { block } of placed) back.push(await readBlock(client, block));
      return back;
    });
    const decoded = await spend('decode', () => found.map((block) => decodeBlock(block, paths)));
    await spend('compare', () => {
      for (const [index, rows] of groups.entries()) {
        const difference = differenceOf(rows, decoded[index]!);
        if (difference !== undefined) throw new Error(`A block ${difference}.`);
      }
    });
    records += groups.reduce((sum, rows) => sum + rows.length, 0);
  }
  client.release();
  await report(pool, records, number, costs);
};

/** Wraps each group of rows in a page of its own. */
async function* pagesOf<Row>(groups: AsyncIterable<Row[]>): AsyncGenerator<Row[][]> {
  for await (const group of groups) yield [group];
}

/** Returns the UTC days with records, in days since 1970. */
const daysOf = async (client: PoolClient, productId: string): Promise<number[]> => {
  const { rows } = await client.query<{ day: number }>(sql`
    select distinct extract(epoch from date_trunc('day', ts, 'UTC'))::int / 86400 as day
    from record where product_id = ${productId} order by day`);
  return rows.map(({ day }) => day);
};

const tables = ['record_block', 'record_block_column', 'record_block_sum'] as const;

const report = async (pool: Pool, records: number, blocks: number, costs: ReadonlyMap<Step, number>): Promise<void> => {
  const line = (name: string, value: number, unit: string) =>
    stdout.write(`  ${name.padEnd(20)} ${value.toFixed(1).padStart(9)} ${unit}\n`);
  await pool.query(`vacuum analyze ${tables.join()}`);
  let total = 0;
  for (const table of tables) {
    const { rows } = await pool.query<{ bytes: number }>(
      sql`select pg_total_relation_size(${table}::regclass)::float8 as bytes`,
    );
    total += rows[0]!.bytes / records;
    line(table, rows[0]!.bytes / records, 'bytes a record');
  }
  line('all blocks', total, `bytes a record, in ${blocks} blocks`);
  for (const step of steps) line(step, costs.get(step)! / records, 'us a record');
  line('making, all', [...costs.values()].reduce((sum, cost) => sum + cost, 0) / records, 'us a record');
};

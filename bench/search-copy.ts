import type { Pool } from 'pg';
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import { progress } from './figures.js';

/** SQL: the values of some columns `k` days earlier. Other columns are copied as they are. */
type Earlier = Readonly<Record<string, string>>;

const dayUs = '86400000000';
const shifted = (array: string, by: string) =>
  `array(select v - k * ${by} from unnest(${array}) with ordinality u (v, i) order by i)`;
const hours: Earlier = { hour: "hour - k * interval '1 day'" };
const days: Earlier = { day: "day - k * interval '1 day'" };

/** Tables with parts of a day, its column of time, and what differs on another day. */
const rollups: readonly (readonly [table: string, time: string, earlier: Earlier])[] = [
  [
    'record_rollup',
    'hour',
    { ...hours, first_ts: "first_ts - k * interval '1 day'", last_ts: "last_ts - k * interval '1 day'" },
  ],
  ['record_total', 'hour', hours],
  ['record_day', 'day', days],
  ['record_value', 'day', days],
  ['record_value_total', 'day', days],
  ['record_digest', 'day', days],
  ['record_digest_total', 'day', days],
  ['record_summary', 'day', { ...days, in_week: 'false' }],
];

/** `seq` is `records` lower for each day. */
const earlierBlock = (records: number): Earlier => ({
  day: 'day - k::int',
  came_lo: `came_lo - k * ${dayUs} / 1000`,
  came_hi: `came_hi - k * ${dayUs} / 1000`,
  t0: shifted('t0', dayUs),
  seq0: shifted('seq0', String(records)),
  seq_lo: `seq_lo - k * ${records}`,
});

/**
 * Puts copies of a day in blocks alone, with its rollups, before it: one for each day since `first`. Continues what an
 * interrupted run has left.
 * @param day days since 1970, as `first`
 */
export async function copyDay(pool: Pool, day: number, first: number): Promise<void> {
  const { rows } = await pool.query<{ records: number; earliest: number }>(sql`
    select (select sum(n) from record_blocked where day = ${dateOf(day)})::float8 as records,
      (select min(day) from record_blocked) - 'epoch'::date as earliest`);
  const { records, earliest } = rows[0]!;
  if (earliest <= first) return;
  for (let target = earliest - 1; target >= first; target--) {
    await transaction(pool, (tx) => copyTo(tx, day, target, records));
    progress(day - target, day - first);
  }
  await pool.query('vacuum analyze');
}

const copyTo = async (tx: Queryable, day: number, target: number, records: number): Promise<void> => {
  const k = day - target;
  await tx.query(sql`
    create temp table copied on commit drop as
    select block as old, nextval('record_block_number')::int as block from record_block where day = ${dateOf(day)}`);
  const ofBlocks = sql`join copied c on c.old = t.block`;
  await copy(tx, 'record_block', k, { ...earlierBlock(records), block: 'c.block' }, ofBlocks);
  for (const table of ['record_block_column', 'record_block_sum'])
    await copy(tx, table, k, { block: 'c.block' }, ofBlocks);
  await copy(tx, 'record_blocked', k, { day: 'day - k::int' }, sql`where day = ${dateOf(day)}`);
  for (const [table, time, earlier] of rollups) {
    const ofDay = sql`where ${raw(time)} >= ${startOf(day)} and ${raw(time)} < ${startOf(day + 1)}`;
    await copy(tx, table, k, earlier, ofDay);
  }
};

/** Copies the rows of a table that `which` chooses, with some columns `k` days earlier. */
const copy = async (tx: Queryable, table: string, k: number, earlier: Earlier, which: Sql): Promise<void> => {
  const { rows } = await tx.query<{ name: string }>(sql`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`);
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => earlier[name] ?? `t.${name}`);
  await tx.query(sql`
    insert into ${raw(table)} (${raw(names.join())})
    select ${raw(values.join())} from ${raw(table)} t cross join (values (${k}::bigint)) shift (k) ${which}`);
};

const dateOf = (day: number): Sql => sql`('epoch'::date + ${day}::int)`;
const startOf = (day: number): Sql => sql`(${dateOf(day)}::timestamp at time zone 'UTC')`;

import type { Pool, PoolClient } from 'pg';
import sql, { join, type Sql } from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { VariableType } from '#entities/enums.js';
import { squared } from '../squared.js';
import { maxDigested, maxMeasured } from '../summary.js';
import { isAlone } from './alone-day.js';
import { makeDigests } from './digest.js';
import { forgetWeeks, makeWeeks } from './digest-week.js';
import { byOwner, isDue, makeRollups, type Owner, ownedBy, timeWithin } from './rollup-day.js';
import { sparseStarts } from './sparse.js';

/*
 * Daily rollups by the value of a text or a boolean (tables record_value and record_value_total), made from the
 * records. A day of an (organization, product) is valid if it has no row in record_dirty_summary and none of its hours
 * has one in record_dirty, seen in the same snapshot. record_summary lists the variables that have rollups.
 */

/** A day of one organization's product. */
interface Day extends Owner {
  readonly product_id: string;
  /** ISO 8601. */
  readonly day: string;
}

/** Maximum number of a product's days of one transaction. */
const daysAtOnce = 20;

/**
 * Maximum number of values of a variable in a product's day. For variables with more, searches read the records
 * instead.
 */
export const maxValues = 1000;

/** Maximum number of characters of a value. */
const maxLength = 200;

/** Number of a product's variables, the first ones, by whose values records are counted. */
const maxKeys = 16;

/**
 * Notes the days of changed hourly rollups, in the transaction that changes them. `hours` selects rows of
 * organization_id, product_id and hour.
 */
export const noteSummaries = (hours: Sql): Sql => sql`
  insert into record_dirty_summary (organization_id, product_id, day)
  select distinct organization_id, product_id, date_trunc('day', hour, 'UTC') from (${hours}) h where product_id is not null
  on conflict (organization_id, product_id, day) do update set noted_at = clock_timestamp()`;

/**
 * Makes the summaries of a batch of stale days that are over; if there are none, makes weeks. Returns their number. The
 * newest days come first, because they are queried most. Products of the same day are made together, because their
 * records share pages.
 */
export const summarize = (pool: Pool, now: Date): Promise<number> =>
  makeRollups(pool, async (tx) => {
    const { rows: dirty } = await tx.query<Day>(sql`
      delete from record_dirty_summary where ctid = any(array(
        select ctid from record_dirty_summary d where ${isDue(now)} and not ${isAlone(sql`d.day`)} order by day desc limit ${daysAtOnce}))
      returning organization_id, product_id, day`);
    const days = dirty.length > 0 ? dirty : await unsketched(tx);
    await tx.query(`set local work_mem = '64MB'`);
    for (const some of byOwner(days)) await makeSummaries(tx, some);
    return days.length > 0 ? days.length : makeWeeks(tx, now);
  });

/** Finds days that were made before sketches existed. */
const unsketched = async (tx: PoolClient): Promise<Day[]> =>
  (
    await tx.query<Day>(
      sql`select organization_id, product_id, day from record_summary d where not sketched and not ${isAlone(sql`d.day`)} order by day desc limit ${daysAtOnce}`,
    )
  ).rows;

/** Tables that are made for a day. */
const summaryTables = [
  sql`record_value`,
  sql`record_value_total`,
  sql`record_digest`,
  sql`record_digest_total`,
  sql`record_summary`,
];

/** Makes the summaries of days of one organization's product. */
export const makeSummaries = async (tx: PoolClient, some: readonly Day[]): Promise<void> => {
  const whose = ownedBy(some[0]!);
  const days = some.map(({ day }) => day);
  for (const table of summaryTables)
    await tx.query(sql`delete from ${table} where ${whose} and day = any(${days}::timestamptz[])`);
  await forgetWeeks(tx, whose, days);
  const { keys, numbers, texts } = await slotsOf(tx, some[0]!.product_id);
  const counted = await worthCounting(tx, some, keys, numbers);
  const isDigested = (slot: number) => Math.abs(slot) <= maxDigested;
  const sparse = await sparseStarts(tx, some[0]!, days, 'day');
  const apart = days.filter((day) => !sparse.includes(day));
  if (counted.length > 0) await makeValues(tx, some[0]!, { counted, numbers, apart });
  const slots = { numbers: numbers.filter(isDigested), texts: texts.filter(isDigested) };
  await makeDigests(tx, { owner: some[0]!, days, apart, ...slots });
  const { organization_id, product_id } = some[0]!;
  // A day also gets a row if no variable is counted by value: a variable counts as missing until its day is made again.
  await tx.query(sql`
    insert into record_summary (organization_id, product_id, day, sketched, apart, keys)
    select ${organization_id}, ${product_id}, d.day, true, d.day = any(${apart}::timestamptz[]),
      coalesce(array_agg(k.key) filter (where k.key is not null), '{}')
    from unnest(${days}::timestamptz[]) d (day)
    left join unnest(${counted.map(({ day }) => day)}::timestamptz[], ${counted.map(({ key }) => key)}::int[]) k (day, key) using (day)
    where exists (
      select from record where ${whose} and ts >= d.day and ts < d.day + interval '24 hours' and ${timeWithin(sql`ts`, days, dayMs)})
    group by d.day`);
};

/** Slots of a product's variables; those of texts are negative. */
interface Slots {
  /** Variables by whose values records are counted. */
  readonly keys: readonly number[];
  /** Numbers that are measured. */
  readonly numbers: readonly number[];
  readonly texts: readonly number[];
}

const slotsOf = async (tx: PoolClient, productId: string): Promise<Slots> => {
  const { rows } = await tx.query<{ type: VariableType; kind: 'number' | 'text'; slot: number }>(
    sql`select type, kind, slot from product_slot where product_id = ${productId} order by slot`,
  );
  const texts = rows.filter(({ kind }) => kind === 'text').map(({ slot }) => -slot);
  const booleans = rows.filter(({ type }) => type === VariableType.BOOL).map(({ slot }) => slot);
  return {
    keys: [...texts, ...booleans].sort((a, b) => Math.abs(a) - Math.abs(b)).slice(0, maxKeys),
    numbers: rows.filter(({ kind, slot }) => kind === 'number' && slot <= maxMeasured).map(({ slot }) => slot),
    texts,
  };
};

/** A variable by whose values the records of a day are counted. */
interface Counted {
  /** ISO 8601. */
  day: string;
  key: number;
}

const valueOf = sql`case when k.key < 0 then r.texts[-k.key] else r.numbers[k.key]::int::text end`;
const ofDay = (owner: Owner, days: readonly string[]): Sql =>
  sql`join record r on ${ownedBy(owner)} and r.ts >= d.day and r.ts < d.day + interval '24 hours'
      and ${timeWithin(sql`r.ts`, days, dayMs)}`;

/**
 * Chooses the variables with few values, for each day. Their rows may take an eighth of the size of the records.
 * Variables with the fewest values come first, and a row grows with the number of measured slots.
 */
const worthCounting = async (
  tx: PoolClient,
  some: readonly Day[],
  keys: readonly number[],
  numbers: readonly number[],
): Promise<Counted[]> => {
  const recordsPerRow = 6 + numbers.length / 8;
  const days = some.map(({ day }) => day);
  const { rows } = await tx.query<Counted>(sql`
    select day, key from (
      select day, key, records, values, longest, sum(made + values) over (partition by day order by made, key) as made
      from (
        select day, key, sum(n) as records, count(*) as made, count(distinct value) as values, max(length(value)) as longest
        from (
          select d.day, k.key, r.device_id, ${valueOf} as value, count(*) as n
          from unnest(${days}::timestamptz[]) d (day) ${ofDay(some[0]!, days)}
          cross join unnest(${keys}::int[]) k (key)
          group by 1, 2, 3, 4) one
        group by 1, 2) key) day
    where values <= ${maxValues} and coalesce(longest, 0) <= ${maxLength} and made * ${recordsPerRow}::float8 <= records`);
  return rows;
};

/** Makes the counts by value of some days, and by device of those of `apart`. */
const makeValues = async (
  tx: PoolClient,
  owner: Day,
  { counted, numbers, apart }: { counted: readonly Counted[]; numbers: readonly number[]; apart: readonly string[] },
): Promise<void> => {
  const { organization_id, product_id } = owner;
  const made = sql`k.day, k.key, ${valueOf} as value, count(*) as n, ${measuresOf(numbers)} as measures`;
  const from = (some: readonly Counted[]) => {
    const days = some.map(({ day }) => day);
    return sql`
      from (select distinct day from unnest(${days}::timestamptz[]) c (day)) d ${ofDay(owner, days)}
      join unnest(${days}::timestamptz[], ${some.map(({ key }) => key)}::int[]) k (day, key) on k.day = d.day`;
  };
  await tx.query(sql`
    insert into record_value_total (organization_id, product_id, day, key, value, n, measures)
    select ${organization_id}, ${product_id}, day, key, value, n, measures
    from (select ${made} ${from(counted)} group by 1, 2, 3) made order by day, key`);
  const byDevice = counted.filter(({ day }) => apart.includes(day));
  if (byDevice.length === 0) return;
  await tx.query(sql`
    insert into record_value (organization_id, product_id, device_id, day, key, value, n, measures)
    select ${organization_id}, ${product_id}, device_id, day, key, value, n, measures
    from (select ${made}, r.device_id ${from(byDevice)} group by 1, 2, 3, 6) made order by day, key, device_id`);
};

/** SQL array of the measures of all slots up to the last. */
const measuresOf = (numbers: readonly number[]): Sql => {
  const known = new Set(numbers);
  const slots = Array.from({ length: Math.max(0, ...numbers) }, (_, index) => index + 1);
  if (slots.length === 0) return sql`'{}'::float8[]`;
  const each = slots.map((slot) => {
    if (!known.has(slot)) return sql`null, null, null, null, null`;
    const value = sql`r.numbers[${slot}::int]`;
    return sql`nullif(count(${value}), 0), sum(${value}), min(${value}), max(${value}), sum(${squared(value)})`;
  });
  return sql`array[${join(each)}]::float8[]`;
};

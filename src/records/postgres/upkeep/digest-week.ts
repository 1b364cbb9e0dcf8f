import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { weekMs } from '#common/time.js';
import { inSlices } from '#scheduling/time-slice.js';
import { weekOf, weekStart } from '../week.js';
import { mergeDigests, mergeSketches } from './digest-merge.js';
import { type Owner, ownedBy } from './rollup-day.js';

/*
 * Digests and sketches of whole weeks (table record_digest_week), made from those of days: a search over months reads a
 * fifth of what it would read by day. A week is valid if each of its days is, and none of them was made since.
 */

/** A week of one organization's product. */
interface Week extends Owner {
  readonly product_id: string;
  /** ISO 8601. */
  readonly week: string;
}

/** Measures of the numbers of one slot in a day or a week. */
interface Measures {
  readonly slot: number;
  readonly n: number;
  readonly sum: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly sum_squares: number | null;
  readonly digest: Buffer | null;
  readonly sketch: Buffer | null;
}

/** Maximum number of weeks of one transaction. */
const weeksAtOnce = 20;

/**
 * Deletes the weeks of days that are made again, in the transaction that does so. It also marks the other days of these
 * weeks as not in a week: a day that has lost all its records has no row to mark.
 */
export const forgetWeeks = (tx: PoolClient, whose: Sql, days: readonly string[]): Promise<unknown> =>
  tx.query(sql`
    with forgotten as materialized (select distinct ${weekOf(sql`day`)} as week from unnest(${days}::timestamptz[]) d (day)
    ), deleted as (
      delete from record_digest_week where ${whose} and week in (select week from forgotten)
    )
    update record_summary s set in_week = false from forgotten f
    where ${whose} and s.in_week and s.day >= f.week and s.day < f.week + interval '168 hours'`);

/** Makes weeks that are over from their days, the newest first. Returns their number. */
export const makeWeeks = async (tx: PoolClient, now: Date): Promise<number> => {
  const thisWeek = new Date(weekStart(now.getTime()));
  const { rows } = await tx.query<Week>(sql`
    select distinct organization_id, product_id, ${weekOf(sql`day`)} as week from record_summary
    where not in_week and day < ${thisWeek}::timestamptz order by week desc limit ${weeksAtOnce}`);
  for (const one of rows) await makeWeek(tx, one);
  return rows.length;
};

const makeWeek = async (tx: PoolClient, { week: start, ...owner }: Week): Promise<void> => {
  const whose = ownedBy(owner);
  const ofWeek = sql`${whose} and day >= ${start}::timestamptz and day < ${start}::timestamptz + ${weekMs / 1000}::int * interval '1 second'`;
  const { rows: days } = await tx.query<Measures>(
    sql`select slot, n::float8, sum, min, max, sum_squares, digest, sketch from record_digest_total where ${ofWeek} order by slot, day`,
  );
  const made: Measures[] = [];
  for (const some of Map.groupBy(days, ({ slot }) => slot).values())
    made.push(await inSlices(owner.organization_id, combineMeasures(some)));
  const column = <K extends keyof Measures>(name: K) => made.map((measures) => measures[name]);
  await tx.query(sql`delete from record_digest_week where ${whose} and week = ${start}::timestamptz`);
  await tx.query(sql`
    insert into record_digest_week (organization_id, product_id, week, slot, n, sum, min, max, sum_squares, digest, sketch)
    select ${owner.organization_id}, ${owner.product_id}::uuid, ${start}::timestamptz, m.*
    from unnest(${column('slot')}::int[], ${column('n')}::int8[], ${column('sum')}::float8[], ${column('min')}::float8[], ${column('max')}::float8[],
      ${column('sum_squares')}::float8[], ${column('digest')}::bytea[], ${column('sketch')}::bytea[]) m order by 4`);
  await tx.query(sql`update record_summary set in_week = true where ${ofWeek} and not in_week`);
};

/** Combines the measures of several days. */
function* combineMeasures(days: readonly Measures[]): Generator<undefined, Measures> {
  const fold = (name: 'n' | 'sum' | 'min' | 'max' | 'sum_squares', of: (a: number, b: number) => number) =>
    days
      .map((one) => one[name])
      .filter((value) => value !== null)
      .reduce<number | null>((all, value) => (all === null ? value : of(all, value)), null);
  const bytesOf = function* (name: 'digest' | 'sketch', merge: typeof mergeDigests) {
    const some = days.map((one) => one[name]).filter((bytes) => bytes !== null);
    return some.length === 0 ? null : yield* merge(Buffer.concat(some));
  };
  const add = (a: number, b: number) => a + b;
  return {
    slot: days[0]!.slot,
    n: fold('n', add)!,
    sum: fold('sum', add),
    min: fold('min', Math.min),
    max: fold('max', Math.max),
    sum_squares: fold('sum_squares', add),
    digest: yield* bytesOf('digest', mergeDigests),
    sketch: yield* bytesOf('sketch', mergeSketches),
  };
}

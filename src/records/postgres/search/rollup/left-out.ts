import sql, { empty, type Sql } from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { hourOf, hoursOf } from '#records/postgres/day.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import { instantText } from '#search/query/option/instant.js';
import type { NumberSlot } from '../sql/stored-field.js';
import { type Candidate, keysOf, maxDays } from './eligible.js';
import { type RollupBounds, recordSource } from './record-source.js';
import { noProduct, ofProducts, staleTable } from './rollup-part.js';
import type { LeftOut, ReplacedDay, RollupRange, Stale, Whose } from './rollup-range.js';
import { recordsAsRollups } from './unrolled-parts.js';

/*
 * Hours of products whose devices send so little that they have no rows in record_rollup (`record_total.apart`). A
 * search that reads rollups device by device reads their records instead.
 */

interface LeftOutRow {
  from: number | null;
  until: number | null;
  /** Days by product, in milliseconds. */
  replaced?: { source: number; productId: string | null; days: number[] }[] | null;
}

/**
 * Finds which of the rollups that a candidate needs are left out.
 * @param apart products that are read device by device
 * @param unsummarized days of products that have no rows by the value of the candidate's key
 */
export const findLeftOut = async (
  rows: Rows,
  { organizationId }: Pick<Whose, 'organizationId'>,
  candidate: Candidate,
  apart: readonly (string | null)[],
  unsummarized: readonly Stale[],
): Promise<LeftOut> => {
  const keys = keysOf(candidate);
  if (candidate.sketches || (apart.length === 0 && !keys)) return {};
  const [from, to] = [sql`${instantText(candidate.from)}::timestamptz`, sql`${instantText(candidate.to)}::timestamptz`];
  const ofApart = ofProducts(sql`t`, { organizationId }, apart);
  if (candidate.digests || keys) {
    const days = await rows<Stale>(sql`
      select t.product_id as "productId", extract(epoch from t.day)::float8 * 1000 as start from record_summary t
      where ${ofApart} and not t.apart and t.day >= ${from} and t.day < ${to} limit ${maxDays(candidate) + 1}`);
    if (!keys || (days.length === 0 && unsummarized.length === 0)) return { days };
    return { days, replaced: await rows<ReplacedDay>(uncounted({ organizationId, keys, apart, from, to })) };
  }
  const ofDays = candidate.hours
    ? empty
    : sql`, (
        select json_agg(json_build_object('source', source, 'productId', s.product_id, 'days', array(
          select extract(epoch from day) * 1000 from record_blocked e
          where e.source = s.source and not e.apart and e.day >= ${from}::date and e.day < ${to}::date)))
        from record_block_source s where ${ofProducts(sql`s`, { organizationId }, apart)}) as replaced`;
  const [found] = await rows<LeftOutRow>(sql`
    select extract(epoch from min(t.hour))::float8 * 1000 as from,
      extract(epoch from max(t.hour) + interval '1 hour')::float8 * 1000 as until${ofDays}
    from record_total t where ${ofApart} and not t.apart and ${hoursOf(sql`t.hour`, from, to)}`);
  const { from: first, until, replaced } = found!;
  return {
    ...(first !== null && until !== null && { hours: { from: first, until } }),
    ...(replaced && { replaced: replaced.flatMap(({ days, ...of }) => days.map((start) => ({ ...of, start }))) }),
  };
};

/** Days in blocks whose records are not counted by the values of the keys, of products device by device or as a whole. */
const uncounted = ({
  organizationId,
  keys,
  apart,
  from,
  to,
}: {
  organizationId: string;
  keys: readonly NumberSlot[];
  apart: readonly (string | null)[];
  from: Sql;
  to: Sql;
}): Sql => sql`
      select e.source, s.product_id as "productId", extract(epoch from e.day)::float8 * 1000 as start
      from unnest(${keys.map(({ productId }) => productId)}::uuid[], ${keys.map(({ slot }) => slot)}::int[]) k (product_id, key)
      join record_block_source s on s.organization_id = ${organizationId}::uuid and s.product_id = k.product_id
      join record_blocked e on e.source = s.source and e.day >= ${from}::timestamptz::date and e.day < ${to}::timestamptz::date
      where not exists (select from record_summary t where t.organization_id = s.organization_id and t.product_id = k.product_id
        and t.day = e.day::timestamp at time zone 'UTC' and t.keys @> array[k.key] and (t.apart or k.product_id <> all(${apart.filter((id) => id !== null)}::uuid[])))`;

/** Selects days between two times. */
interface LeftOutDays {
  /** Condition on records `x`, which begins with *and*. */
  readonly which: Sql;
  /** The days; all without it. */
  readonly days?: readonly Stale[];
}

/** Reads the records of the hours between two times that are left out, as parts of a union. */
export const leftOutParts = (
  whose: RollupBounds,
  range: RollupRange,
  [start, end]: [string, string],
  { which, days }: LeftOutDays = { which: empty },
): Sql[] => {
  const { leftOut, apart, stale } = range;
  if (leftOut === undefined) return [];
  // As constants, so that PostgreSQL skips partitions before execution begins.
  const from = Math.max(Date.parse(start), leftOut.from);
  const until = Math.min(Date.parse(end), leftOut.until);
  if (from >= until) return [];
  const between = (time: Sql) =>
    hoursOf(time, sql`${instantText(from)}::timestamptz`, sql`${instantText(until)}::timestamptz`);
  const hour = sql`coalesce(x.product_id, ${noProduct}::uuid), ${hourOf(sql`x.ts`)}`;
  const fresh = stale.length === 0 ? empty : sql` and (${hour}) not in (select * from ${staleTable(stale)})`;
  const wanted = days?.map((day) => ({ productId: day.productId, from: day.start, until: day.start + dayMs }));
  return [
    recordsAsRollups(whose, range)(
      apart,
      recordSource(whose, range, wanted ?? [{ from, until }]),
      sql`${between(sql`x.ts`)}${which}${fresh} and (${hour}) in (
        select coalesce(t.product_id, ${noProduct}::uuid), t.hour from record_total t
        where ${ofProducts(sql`t`, whose, apart)} and not t.apart and ${between(sql`t.hour`)})`,
    ),
  ];
};

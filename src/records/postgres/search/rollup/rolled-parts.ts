import sql, { empty, join, type Sql } from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { dayOf, hoursOf, hoursOfDevices } from '#records/postgres/day.js';
import { weekOf } from '#records/postgres/week.js';
import { blockCounts } from '../blocks/block-count.js';
import { blockSums } from '../blocks/block-sum.js';
import { countedParts } from './counted-parts.js';
import { leftOutParts } from './left-out.js';
import type { RollupBounds } from './record-source.js';
import { noProduct, ofProducts, spanOfStale, staleTable } from './rollup-part.js';
import type { RollupRange, Whose } from './rollup-range.js';

/** Reads the up-to-date rollups of a range, as parts of a union. */
export const rolledParts = (whose: RollupBounds, range: RollupRange): Sql[] =>
  range.digests || range.sketches
    ? digestParts(whose, range)
    : range.keys
      ? [...countedParts(whose, range, range.keys), ...blockCounts(whose, range.keys, range.counted ?? [])]
      : addedParts(whose, range);

const addedParts = (whose: RollupBounds, range: RollupRange): Sql[] => [
  ...(range.whole.length > 0 ? [hourlyTotals(whose, range)] : []),
  ...(range.apart.length > 0 ? rollupsByDevice(whose, range) : []),
];

const measures = sql`u.slot, u.n, u.sum, u.min, u.max, u.sum_squares`;
const ofSlots = ({ slots }: RollupRange) => sql`u.slot = any(${[0, ...slots]}::int[])`;
const product = sql`coalesce(u.product_id, ${noProduct}::uuid)`;

/** Builds the condition for rows of these hours that have a slot of the range and are not stale. */
const freshOf = (range: RollupRange, hours: Sql): Sql => {
  const { stale } = range;
  const fresh = stale.length === 0 ? empty : sql` and (${product}, u.hour) not in (select * from ${staleTable(stale)})`;
  return sql`${ofSlots(range)} and ${hours}${fresh}`;
};

/** Reads digests and sketches by the week where possible, otherwise by the day. */
const digestParts = (whose: Whose, range: RollupRange): Sql[] => {
  const { whole, apart, from, to, stale, digests, sketches } = range;
  const fresh =
    stale.length === 0 ? empty : sql` and (u.product_id, u.day) not in (select * from ${staleTable(stale)})`;
  const more = join([...(digests ? [sql`, u.digest`] : []), ...(sketches ? [sql`, u.sketch`] : [])], '');
  const part = (products: readonly (string | null)[], table: Sql, device: Sql, only: Sql) =>
    products.length === 0
      ? []
      : [
          sql`
    select u.organization_id, ${device}, u.product_id, u.day as ts, ${measures}${more} from ${table} u
    where ${ofProducts(sql`u`, whose, products)} and ${ofSlots(range)} and u.day >= ${from}::timestamptz and u.day < ${to}::timestamptz${fresh}${only}`,
        ];
  const weeks = range.weeks && whole.length > 0 ? weeksThatServe(whose, whole, range.weeks) : undefined;
  const inNoWeek = weeks ? sql` and (u.product_id, ${weekOf(sql`u.day`)}) not in (${weeks})` : empty;
  const byWeek = (some: Sql) => sql`
    select u.organization_id, null::uuid as device_id, u.product_id, u.week as ts, ${measures}${more} from record_digest_week u
    where ${ofProducts(sql`u`, whose, whole)} and ${ofSlots(range)} and (u.product_id, u.week) in (${some})`;
  return [
    ...(weeks ? [byWeek(weeks)] : []),
    ...part(whole, sql`record_digest_total`, sql`null::uuid as device_id`, inNoWeek),
    ...part(apart, sql`record_digest`, sql`u.device_id`, sql` and u.device_id = any(${whose.deviceIds}::uuid[])`),
  ];
};

/** Selects product and week of the weekly rows made after the last change to any of their days. */
const weeksThatServe = (
  whose: Whose,
  products: readonly string[],
  { from, to, stale }: NonNullable<RollupRange['weeks']>,
): Sql => {
  const fresh =
    stale.length === 0 ? empty : sql` and (w.product_id, w.week) not in (select * from ${staleTable(stale)})`;
  return sql`
      select w.product_id, w.week from record_digest_week w
      where ${ofProducts(sql`w`, whose, products)} and w.slot = 0 and w.week >= ${from}::timestamptz and w.week < ${to}::timestamptz${fresh}
        and not exists (select from record_summary s where s.organization_id = w.organization_id and s.product_id = w.product_id
          and not s.in_week and s.day >= w.week and s.day < w.week + interval '168 hours')`;
};

const hourlyTotals = (whose: Whose, range: RollupRange): Sql => {
  const hours = hoursOf(sql`u.hour`, sql`${range.from}::timestamptz`, sql`${range.to}::timestamptz`);
  return sql`
    select u.organization_id, null::uuid as device_id, u.product_id, u.hour as ts, ${measures}
    from record_total u where ${ofProducts(sql`u`, whose, range.whole)} and ${freshOf(range, hours)}`;
};

/**
 * Reads rollups device by device: by the day where possible, and by the hour for the rest at both ends and for stale
 * days.
 */
const rollupsByDevice = (whose: RollupBounds, range: RollupRange): Sql[] => {
  const { from, to, days } = range;
  const ofDevices = sql`${ofProducts(sql`u`, whose, range.apart)} and u.device_id = any(${whose.deviceIds}::uuid[])`;
  const byHour = (start: string, end: string, which = empty) => {
    // If all devices are read, the product's index serves, and it contains the hour. An additional condition on the day
    // would only make the planner expect too few rows.
    const between = range.everyDevice ? hoursOf : hoursOfDevices;
    const hours = between(sql`u.hour`, sql`${start}::timestamptz`, sql`${end}::timestamptz`);
    return sql`
    select u.organization_id, u.device_id, u.product_id, u.hour as ts, ${measures} from record_rollup u
    where ${ofDevices} and ${freshOf(range, hours)}${which}`;
  };
  const hoursBetween = (start: string, end: string) => [
    byHour(start, end),
    ...leftOutParts(whose, range, [start, end]),
  ];
  if (days === undefined) return hoursBetween(from, to);
  const listed = sql`(select * from ${staleTable(days.stale)})`;
  const fresh = days.stale.length === 0 ? empty : sql` and (${product}, u.day) not in ${listed}`;
  const ofStale = () => {
    const outer = spanOfStale(days.stale, dayMs);
    const isStale = (productId: Sql, hour: Sql) => sql` and (${productId}, ${dayOf(hour)}) in ${listed}`;
    return [
      byHour(outer.from, outer.to, isStale(product, sql`u.hour`)),
      ...leftOutParts(whose, range, [outer.from, outer.to], {
        which: isStale(sql`coalesce(x.product_id, ${noProduct}::uuid)`, sql`x.ts`),
        days: days.stale,
      }),
    ];
  };
  return [
    sql`
    select u.organization_id, u.device_id, u.product_id, u.day as ts, ${measures} from record_day u
    where ${ofDevices} and ${ofSlots(range)} and u.day >= ${days.from}::timestamptz and u.day < ${days.to}::timestamptz${fresh}`,
    ...blockSums(whose, range, days.replaced),
    ...(from < days.from ? hoursBetween(from, days.from) : []),
    ...(days.to < to ? hoursBetween(days.to, to) : []),
    ...(days.stale.length === 0 ? [] : ofStale()),
  ];
};

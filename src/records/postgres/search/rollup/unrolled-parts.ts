import sql, { empty, type Sql } from 'sql-template-tag';
import { dayMs, hourMs } from '#common/time.js';
import { type RollupBounds, recordSource } from './record-source.js';
import { noProduct, ofProducts, spanOfStale, staleTable } from './rollup-part.js';
import type { RollupRange, Whose } from './rollup-range.js';

/** Returns a function that selects the records of some products in the form of rollups: one row for each slot. */
export const recordsAsRollups = (whose: Whose, { slots, keys, digests, sketches }: RollupRange) => {
  const texts = slots.some((slot) => slot < 0) ? sql` or x.texts[-v.slot] is not null` : empty;
  const digest = sql`, case when v.slot > 0 then int4send(1) || float8send(x.numbers[v.slot]) end`;
  const sketch = sql`, int4send(1) || int4send(case when v.slot > 0 then hashfloat8(x.numbers[v.slot]) else hashtext(x.texts[-v.slot]) end)`;
  const values = keys
    ? sql`, x.texts, x.numbers, null::jsonb`
    : sql`${digests ? digest : empty}${sketches ? sketch : empty}`;
  // Index 0 of an array is null in PostgreSQL. A lateral query would prevent the whole statement from running in
  // parallel, and so would columns whose types differ between the parts.
  return (products: readonly (string | null)[], source: Sql, when: Sql): Sql => sql`
    select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot],
      x.numbers[v.slot] * x.numbers[v.slot]${values}
    from ${source} cross join unnest(${[0, ...slots]}::int[]) v (slot)
    where (v.slot = 0 or x.numbers[v.slot] is not null${texts}) and ${ofProducts(sql`x`, whose, products)}
      and x.device_id = any(${whose.deviceIds}::uuid[]) and ${when}`;
};

/** Reads the rest of a range from the records, as parts of a union: all that has no up-to-date rollup. */
export const unrolledParts = (bounds: RollupBounds, range: RollupRange): Sql[] => {
  const { from, to, before, after, end, whole, apart, stale, keys, digests, sketches } = range;
  const select = recordsAsRollups(bounds, range);
  const ofRecords = (source: Sql, when: Sql) => select([...whole, ...apart], source, when);
  const sourceOf = (lower: string, upper: string) =>
    recordSource(bounds, range, [{ from: Date.parse(lower), until: Date.parse(upper) + 1 }]);
  const between = (lower: string, upper: string) => sql`x.ts >= ${lower}::timestamptz and x.ts < ${upper}::timestamptz`;
  const byDay = keys !== undefined || digests === true || sketches === true;
  const ofStale = (product: Sql) => {
    const outer = spanOfStale(stale, byDay ? dayMs : hourMs);
    const length = byDay ? sql`interval '24 hours'` : sql`interval '1 hour'`;
    const wanted = stale.map(({ productId, start }) => ({
      productId,
      from: start,
      until: start + (byDay ? dayMs : hourMs),
    }));
    return ofRecords(
      sql`${staleTable(stale)} y (product_id, hour) join ${recordSource(bounds, range, wanted)} on ${product} and x.ts >= y.hour and x.ts < y.hour + ${length}`,
      between(outer.from, outer.to),
    );
  };
  return [
    ...(before ? [ofRecords(sourceOf(bounds.from, from), between(bounds.from, from))] : []),
    ...(after
      ? [
          ofRecords(
            sourceOf(to, bounds.to),
            sql`x.ts >= ${to}::timestamptz and x.ts <= least(${bounds.to}::timestamptz, ${end}::timestamptz)`,
          ),
        ]
      : []),
    ...(stale.some(({ productId }) => productId !== null) ? [ofStale(sql`x.product_id = y.product_id`)] : []),
    ...(stale.some(({ productId }) => productId === null)
      ? [ofStale(sql`x.product_id is null and y.product_id = ${noProduct}::uuid`)]
      : []),
  ];
};

import sql, { empty, join, type Sql } from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { fixedColumns, slotColumn } from '#records/blocks/column-number.js';
import { instantText } from '#search/query/option/instant.js';
import { noProduct, spanOfStale, staleTable } from '../rollup/rollup-part.js';
import type { Whose } from '../rollup/rollup-range.js';
import { name } from '../sql/name.js';
import type { BlockNeed } from './block-need.js';
import type { BlockRange } from './block-range.js';

/**
 * Replaces `record r` by records from blocks, and by rows where there are none. The columns are those of `record` that a
 * statement needs. `data` is null for records from blocks: a statement reads it only of products that do not declare its
 * variables.
 */
export const blockSource = (scope: BlockScope, range: BlockRange, need: BlockNeed): Sql =>
  sql`(${join([...rowParts(scope, range, need), decoded(scope, range, need)], '\nunion all ')}) r`;

/** Records that a query may see. */
interface BlockScope extends Whose {
  /** Condition on the rows, as `r`. */
  readonly condition: Sql;
}

const rowParts = ({ condition }: BlockScope, { from, to, stale }: BlockRange, { seq }: BlockNeed): Sql[] => {
  const columns = sql`r.organization_id, r.device_id, r.product_id, r.ts${seq ? sql`, r.seq` : empty}, r.numbers, r.texts, r.data`;
  const part = (source: Sql, when: Sql) => sql`select ${columns} from ${source} where ${condition} and ${when}`;
  const ofStale = (product: Sql, some: BlockRange['stale']) => {
    const outer = spanOfStale(some, dayMs);
    return part(
      sql`${staleTable(some)} y (product_id, day) join record r on ${product} and r.ts >= y.day and r.ts < y.day + interval '24 hours'`,
      sql`r.ts >= ${outer.from}::timestamptz and r.ts < ${outer.to}::timestamptz`,
    );
  };
  const [owned, unowned] = [
    stale.filter(({ productId }) => productId !== null),
    stale.filter(({ productId }) => productId === null),
  ];
  return [
    part(sql`record r`, sql`r.ts < ${from}::timestamptz`),
    part(sql`record r`, sql`r.ts >= ${to}::timestamptz`),
    ...(owned.length > 0 ? [ofStale(sql`r.product_id = y.product_id`, owned)] : []),
    ...(unowned.length > 0 ? [ofStale(sql`r.product_id is null and y.product_id = ${noProduct}::uuid`, unowned)] : []),
  ];
};

/** Powers of ten by scale. To raise ten to a power for each block may not restore the last digit everywhere. */
const powers = sql`'{1,10,100,1e3,1e4,1e5,1e6,1e7,1e8,1e9,1e10,1e11,1e12,1e13,1e14,1e15}'::float8[]`;

/** Elements of an array that a column has in one of four types, as `type`; a constant has none of them. */
const cellsOf = (c: Sql, type: Sql): Sql => sql`case
    when ${c}.v2 is not null then ${c}.v2::${type}[]
    when ${c}.v1 is not null then ${c}.v1::int[]::${type}[]
    when ${c}.v4 is not null then ${c}.v4::${type}[]`;

const numbersOf = (c: Sql): Sql =>
  sql`${cellsOf(c, sql`float8`)} when ${c}.v8 is not null then ${c}.v8 else array_fill(case when ${c}.block is not null then 0::float8 end, array[b.n]) end`;

/**
 * Texts of a column. To find a place in a text array, PostgreSQL reads all before it, so that a large dictionary is
 * joined instead.
 */
const textsOf = (c: Sql): Sql => {
  const cells = sql`${cellsOf(c, sql`int`)} else array_fill(0, array[b.n]) end`;
  return sql`case
    when ${c}.block is null then array_fill(null::text, array[b.n])
    when ${c}.raw is not null then array(
      select encode(substr(${c}.raw, (sum(${c}.base + v) over (order by i) - ${c}.base - v + 1)::int, (${c}.base + v)::int), 'hex')
      from unnest(${cells}) with ordinality u (v, i) order by i)
    when ${c}.base is null then ${c}.dict
    when cardinality(${c}.dict) <= ${mostSubscripted}::int then array(select (${c}.dict)[${c}.base + v + 1] from unnest(${cells}) u (v))
    else array(
      select t from unnest(${cells}) with ordinality u (v, i) left join unnest(${c}.dict) with ordinality d (t, place)
        on place = ${c}.base + v + 1 order by i) end`;
};
const mostSubscripted = 64;

/** Values on the lines of the runs, which residuals bend. */
const linesOf = (first: Sql, step: Sql): Sql =>
  sql`array(select (x.first + x.step * generate_series(0, x.count - 1))::float8 from unnest(${first}, ${step}, b.counts) x (first, step, count))`;

/** Identifiers of the devices, null for those out of scope. */
const devicesOf = ({ deviceIds }: Whose, everyDevice: boolean): Sql => {
  const inScope = everyDevice ? empty : sql` and d.device_id = any(${deviceIds}::uuid[])`;
  return sql`array(
      select y.id from (
        select x.id, generate_series(1, x.count) from (
          select (select d.device_id from record_block_device d where d.device = u.device${inScope}) as id, u.count
          from unnest(b.devices, b.counts) u (device, count) offset 0) x) y)`;
};

const decoded = (scope: Whose, range: BlockRange, need: BlockNeed): Sql => {
  const { from, to, sources, stale, everyDevice } = range;
  const asksDevice = need.device || !everyDevice;
  const columns = [
    ...(need.time ? [{ col: fixedColumns.ts, alias: sql`ct` }] : []),
    ...(need.seq ? [{ col: fixedColumns.seq, alias: sql`cs` }] : []),
    ...need.numbers.map((slot) => ({ col: slotColumn('number', slot), alias: numberName(slot) })),
    ...need.texts.map((slot) => ({ col: slotColumn('text', slot), alias: textName(slot) })),
  ];
  const joins = columns.map(
    ({ col, alias }) =>
      sql`left join record_block_column ${alias} on ${alias}.block = b.block and ${alias}.col = ${col}::smallint`,
  );
  const arrays = [
    ...(asksDevice ? [sql`${devicesOf(scope, everyDevice)} as devices`] : []),
    ...(need.time
      ? [
          sql`${linesOf(sql`b.t0`, sql`b.step`)} as times, ${numbersOf(sql`ct`)} as residuals, coalesce(ct.base, 0)::float8 as shift`,
        ]
      : []),
    ...(need.seq
      ? [
          sql`${linesOf(sql`b.seq0`, sql`b.seq_step`)} as seqs, ${numbersOf(sql`cs`)} as places, coalesce(cs.base, 0)::float8 as seq_shift`,
        ]
      : []),
    ...need.numbers.map((slot) => {
      const c = numberName(slot);
      return sql`${numbersOf(c)} as ${c}, 0 - coalesce(${c}.base, 0)::float8 as ${c}_base, (${powers})[coalesce(${c}.scale, 0) + 1] as ${c}_power`;
    }),
    ...need.texts.map((slot) => sql`${textsOf(textName(slot))} as ${textName(slot)}`),
  ];
  const values = [
    ...(asksDevice ? [sql`unnest(a.devices) as device_id`] : []),
    ...(need.time
      ? [
          sql`'1970-01-01Z'::timestamptz + (unnest(a.times) + b.unit * (a.shift + unnest(a.residuals))) * interval '1 microsecond' as ts`,
        ]
      : []),
    ...(need.seq ? [sql`(unnest(a.seqs) + a.seq_shift + unnest(a.places))::int8 as seq`] : []),
    // Subtracted, because adding 0 would make 0 of -0.
    ...need.numbers.map((slot) => {
      const c = numberName(slot);
      return sql`(unnest(a.${c}) - a.${c}_base) / a.${c}_power as ${c}`;
    }),
    ...need.texts.map((slot) => sql`unnest(a.${textName(slot)}) as ${textName(slot)}`),
  ];
  const products = sources.map(({ productId }) => productId);
  const fresh =
    stale.length === 0
      ? empty
      : sql` and (coalesce(s.product_id, ${noProduct}::uuid), b.day) not in (
        select y.product_id, y.day::date from ${staleTable(stale)} y (product_id, day))`;
  return sql`
    select ${scope.organizationId}::uuid, ${asksDevice ? sql`x.device_id` : sql`null::uuid`}, s.product_id, ${need.time ? sql`x.ts` : sql`null::timestamptz`}${need.seq ? sql`, x.seq` : empty},
      ${arrayOf(need.numbers, numberName, sql`float8`)}, ${arrayOf(need.texts, textName, sql`text`)}, null::jsonb
    from unnest(${sources.map(({ source }) => source)}::int[], ${products}::uuid[]) s (source, product_id)
    join record_block b on b.source = s.source and b.day >= ${dayText(from)}::date and b.day < ${dayText(to)}::date${fresh}
    ${listed(joins, '\n    ')}
    cross join lateral (select ${listed(arrays)} offset 0) a
    cross join lateral (select ${values.length === 0 ? sql`generate_series(1, b.n)` : join(values)}) x${
      everyDevice
        ? empty
        : sql`
    where x.device_id is not null`
    }`;
};

const dayText = (start: string): string => instantText(Date.parse(start)).slice(0, 10);

/** Joins parts, of which there may be none. */
const listed = (parts: readonly Sql[], separator = ', '): Sql => (parts.length === 0 ? empty : join(parts, separator));

/** Array with the columns of some slots in their places. */
const arrayOf = (slots: readonly number[], nameOf: (slot: number) => Sql, type: Sql): Sql => {
  const known = new Set(slots);
  const places = Array.from({ length: slots.at(-1) ?? 0 }, (_, index) =>
    known.has(index + 1) ? sql`x.${nameOf(index + 1)}` : sql`null`,
  );
  return places.length === 0 ? sql`null::${type}[]` : sql`array[${join(places)}]::${type}[]`;
};

const numberName = (slot: number): Sql => name('number', slot);
const textName = (slot: number): Sql => name('text', slot);

import sql, { type Sql } from 'sql-template-tag';

/*
 * SQL that decodes the arrays of a block `b`. `c` is the alias of a column of the block, all null if the block lacks it.
 * `length` is the number of values: one for each record, unless they are elements of lists.
 */

const ofRecords = sql`b.n`;

/** Powers of ten by scale. To raise ten to a power for each block may not restore the last digit everywhere. */
export const powers = sql`'{1,10,100,1e3,1e4,1e5,1e6,1e7,1e8,1e9,1e10,1e11,1e12,1e13,1e14,1e15}'::float8[]`;

/** Elements of an array that a column has in one of four types, as `type`; a constant has none of them. */
const cellsOf = (c: Sql, type: Sql): Sql => sql`case
    when ${c}.v2 is not null then ${c}.v2::${type}[]
    when ${c}.v1 is not null then ${c}.v1::int[]::${type}[]
    when ${c}.v4 is not null then ${c}.v4::${type}[]`;

/** Positions of the values of a column. */
export const positionsOf = (c: Sql, length = ofRecords): Sql =>
  sql`${cellsOf(c, sql`int`)} else array_fill(0, array[${length}]) end`;

/** Numbers of a column, without its base and scale. */
export const numbersOf = (c: Sql, length = ofRecords): Sql =>
  sql`${cellsOf(c, sql`float8`)} when ${c}.v8 is not null then ${c}.v8 else array_fill(case when ${c}.block is not null then 0::float8 end, array[${length}]) end`;

/**
 * Texts of a column. To find a place in a text array, PostgreSQL reads all before it, so that a large dictionary is
 * joined instead.
 */
export const textsOf = (c: Sql, length = ofRecords): Sql => {
  const cells = positionsOf(c, length);
  return sql`case
    when ${c}.block is null then array_fill(null::text, array[${length}])
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
export const linesOf = (first: Sql, step: Sql): Sql =>
  sql`array(select (x.first + x.step * generate_series(0, x.count - 1))::float8 from unnest(${first}, ${step}, b.counts) x (first, step, count))`;

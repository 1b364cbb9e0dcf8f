import sql, { join, type Sql } from 'sql-template-tag';
import { shapeColumns, wholeColumns } from '#records/blocks/column-number.js';
import { pathOfKeys } from '#records/blocks/json-shape.js';
import type { JsonPart } from '#records/blocks/stored-row.js';
import { numbersOf, positionsOf, powers, textsOf } from './block-cells.js';
import { type BlockPart, joined } from './block-part.js';
import type { BlockPaths } from './block-path.js';

/** Parts of a record that statements read as JSON. */
export type ReadPart = Extract<JsonPart, 'data' | 'metadata' | 'many'>;

/** Keys of a part that statements read as JSON. */
export interface JsonNeed {
  /** Keys whose values are read. */
  readonly keys: readonly string[];
  /** Keys under which values are looked for, whatever they are; the empty key stands for all. */
  readonly under?: readonly string[];
  /** Whether records without lists need no JSON. */
  readonly onlyLists: boolean;
}

/** Names of the parts, and of the columns with their whole texts and their shapes. */
const names: Readonly<Record<ReadPart, { readonly part: Sql; readonly whole: Sql; readonly shape: Sql }>> = {
  data: { part: sql`data`, whole: sql`data_whole`, shape: sql`data_shape` },
  metadata: { part: sql`metadata`, whole: sql`metadata_whole`, shape: sql`metadata_shape` },
  many: { part: sql`many`, whole: sql`many_whole`, shape: sql`many_shape` },
};

/** Joins the whole texts of a part, which a block has instead of shapes if they are too different. */
export const wholeJoin = (part: ReadPart): Sql => joined(wholeColumns[part], names[part].whole);

/** JSON of each record of a block whose part is kept whole, as rows `r` with the part alone. */
export const wholeRows = (part: ReadPart): Sql =>
  sql`(select t::jsonb as ${names[part].part} from unnest(${textsOf(names[part].whole)}) with ordinality u (t, i) order by i) r`;

/** Whether a block keeps a part whole. */
export const isWhole = (part: ReadPart): Sql => sql`${names[part].whole}.block is not null`;

/**
 * Returns the part of a record as JSON with the needed keys. It reads the alias of {@link wholeJoin}, too.
 * @param paths numbers of the leaves of all sources
 */
export const jsonPart = (part: ReadPart, need: JsonNeed, paths: BlockPaths): BlockPart => {
  const { part: column, shape } = names[part];
  const { keys, under, onlyLists } = need;
  const absent = [sql`${shape}.block is null`, ...(onlyLists ? [sql`not ${hasLists(part, keys, paths)}`] : [])];
  return {
    joins: [joined(shapeColumns[part], shape)],
    arrays: [
      sql`case when ${isWhole(part)} then array(select r.${column} from ${wholeRows(part)})
      when ${join(absent, ' or ')} then array_fill(null::jsonb, array[b.n])
      else ${keys.length === 0 ? shapesOf(shape, under!) : valuesOf(part, shape, under ? undefined : keys)} end as ${column}`,
    ],
    values: [sql`unnest(a.${column}) as ${column}`],
    output: sql`x.${column}`,
  };
};

/** Whether a block has lists under some keys. */
const hasLists = (part: ReadPart, keys: readonly string[], paths: BlockPaths): Sql => {
  const starts = keys.map((key) => part + pathOfKeys([key]));
  const listed = [...paths.keys()].filter(
    (path) => path.includes('[') && starts.some((start) => path.startsWith(start, 1)),
  );
  if (listed.length === 0) return sql`false`;
  return sql`exists (
      select from record_block_path p join record_block_column l on l.block = b.block and l.col = p.col
      where p.source = b.source and p.path = any(${listed}::text[]))`;
};

/** Cuts a shape into keys and other quoted texts, marks of leaves, and what is between them. */
const shapeTokens = sql`'"(?:[^"\\\\]|\\\\.)*"|[#%$?][1-9]?|[^"#%$?]+'`;

/** Shapes of a block as JSON, in which a leaf is a text with its mark. `place` counts from 1. */
const trees = (shape: Sql): Sql => sql`
      select place, string_agg(case when token[1] ~ '^[#%$?]' then '"' || token[1] || '"' else token[1] end, '' order by n)::jsonb as tree
      from unnest(${shape}.dict) with ordinality d (shape, place), regexp_matches(shape, ${shapeTokens}, 'g') with ordinality m (token, n)
      group by place`;

/** Place of each record's shape; null without the part. */
const placesOf = (shape: Sql): Sql =>
  sql`select ${shape}.base + v + 1 as place, i from unnest(${positionsOf(shape)}) with ordinality u (v, i)`;

const shapesOf = (shape: Sql, under: readonly string[]): Sql => sql`array(
      with tree as materialized (
        select place, ${keysIn(isUnder(under))} || ${under.includes('') ? anyLeaf : sql`'{}'`} as tree from (${trees(shape)}) t)
      select t.tree from (${placesOf(shape)}) i left join tree t using (place) order by i)`;

const isUnder = (keys: readonly string[]): Sql =>
  sql`exists (select from unnest(${keys}::text[]) u (under) where key = under or starts_with(key, under || '.'))`;

const anyLeaf = sql`(case when jsonb_path_exists(tree, 'strict $.** ? (@.type() == "string")') then '{"": ""}' else '{}' end)::jsonb`;

/** The keys of a tree that meet a condition. */
const keysIn = (condition: Sql): Sql =>
  sql`coalesce((select jsonb_object_agg(key, value) from jsonb_each(tree) where ${condition}), '{}')`;

/** Cuts JSON into its texts (leaves of a shape), and what is between them. Keys are with their colon. */
const treeTokens = sql`'"(?:[^"\\\\]|\\\\.)*":|"(?:[^"\\\\]|\\\\.)*"|[^"]+'`;

/** Step of a path into an object; see `pathOfKeys`. */
const step = sql`'.' || case when key ~ '^[^."\\[\\]\\\\]+$' and to_json(key)::text = '"' || key || '"' then key else to_json(key)::text end`;

/**
 * JSON of the values under some keys, or all, put together from shapes and leaves. Values are brought together by groups:
 * PostgreSQL expects few elements of an array, and would join them by nested loops.
 */
const valuesOf = (part: ReadPart, shape: Sql, keys: readonly string[] | undefined): Sql => sql`array(
      with recursive tree as materialized (
        select place, ${keys === undefined ? sql`tree` : keysIn(sql`key = any(${keys}::text[])`)} as tree
        from (${trees(shape)}) t),
      node (place, value, path, listed, single, at) as (
        select place, tree, '', '', true, '{}'::int8[] from tree
        union all
        select n.place, e.value, n.path || e.step, n.listed || e.listed, n.single and e.single, n.at || e.n
        from node n cross join lateral (
          select value, ${step} as step, ${step} as listed, true as single, n
          from jsonb_each(case jsonb_typeof(n.value) when 'object' then n.value else '{}' end) with ordinality o (key, value, n)
          union all
          select value, '[0]', '[]', n = 1, n
          from jsonb_array_elements(case jsonb_typeof(n.value) when 'array' then n.value else '[]' end) with ordinality l (value, n)) e),
      leaf as materialized (
        select place, row_number() over (partition by place order by at) as leaf, single, left(mark, 1) as kind,
          coalesce(nullif(substr(mark, 2), ''), '0')::int as decimals, left(mark, 1) || ${part}::text || case when single then path else listed end as path
        from node cross join lateral (select value #>> '{}' as mark) m where jsonb_typeof(value) = 'string'),
      token as materialized (
        select place, n, text, case when is_leaf then count(*) filter (where is_leaf) over (partition by place order by n) end as leaf
        from (
          select place, n, token[1] as text, token[1] like '"%"' as is_leaf
          from tree, regexp_matches(tree::text, ${treeTokens}, 'g') with ordinality m (token, n)) k),
      value as (
        select l.path, v.at, v.number, v.text from (select distinct path, single, kind from leaf) l
        join record_block_path p on p.source = b.source and p.path = l.path
        join record_block_column o on o.block = b.block and o.col = p.col
        join record_block_column c on c.block = b.block and c.col = coalesce(o.same, o.col)
        cross join lateral (select case when single then b.n else c.n end as length offset 0) s
        cross join lateral (
          select at, (v - ${baseOf}) / ${powerOf} as number, null as text
          from unnest(case when kind in ('#', '?') then ${numbersOf(sql`c`, sql`s.length`)} end) with ordinality u (v, at)
          union all
          select at, null, t from unnest(case when kind in ('$', '%') then ${textsOf(sql`c`, sql`s.length`)} end) with ordinality u (t, at)) v),
      record as materialized (${placesOf(shape)}),
      cell as (
        select i, leaf, kind, decimals, path, i as at from record join leaf using (place) where single
        union all
        select i, leaf, kind, decimals, path, row_number() over (partition by path order by i, leaf)
        from record join leaf using (place) where not single),
      found as (
        select max(i) as i, max(leaf) as leaf, ${leafText} as text from (
          select path, at, i, leaf, kind, decimals, null::float8 as number, null as text from cell
          union all select path, at, null, null, null, null, number, text from value) u
        group by path, at having max(i) is not null),
      filled as (
        select i, max(place) as place, array_agg(text order by leaf) filter (where leaf is not null) as texts from (
          select i, place, null::int8 as leaf, null as text from record union all select i, null, leaf, text from found) u
        group by i)
      select (select string_agg(coalesce(f.texts[t.leaf], t.text), '' order by t.n)::jsonb from token t where t.place = f.place)
      from filled f order by i)`;

const baseOf = sql`(0 - coalesce(c.base, 0)::float8)`;
const powerOf = sql`(${powers})[coalesce(c.scale, 0) + 1]`;

/** Text of a leaf in JSON, of the only values of a group. */
const leafText = sql`case max(kind)
        when '#' then case when max(decimals) = 0 then max(number)::text else round(max(number)::text::numeric, max(decimals))::text end
        when '?' then case max(number) when 1 then 'true' else 'false' end
        when '$' then to_json(max(text))::text
        else max(text) end`;

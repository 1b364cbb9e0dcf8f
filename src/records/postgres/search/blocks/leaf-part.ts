import sql, { join, type Sql } from 'sql-template-tag';
import { leafName } from '#records/blocks/json-column.js';
import { type LeafKind, pathOfKeys } from '#records/blocks/json-shape.js';
import { partOf } from '../sql/json-value.js';
import { name } from '../sql/name.js';
import { numbersOf, textsOf } from './block-cells.js';
import { type BlockPart, numberArrays, numberValues, unread } from './block-part.js';
import type { BlockPaths } from './block-path.js';
import type { BlockSource } from './find-blocks.js';
import { isWhole, wholeRows } from './json-part.js';
import type { Leaf } from './leaf-field.js';

/** A column that may have the value of a leaf. */
interface Candidate {
  readonly kind: LeafKind;
  /** Numbers of the column by source. */
  readonly cols: ReadonlyMap<number, number>;
}

/** A joined column that may have the value of a leaf. */
export interface LeafColumn {
  /** Alias of the column. */
  readonly c: Sql;
  readonly isText: boolean;
  /** Whether its values need no conversion. */
  readonly isNative: boolean;
}

/** A leaf as a part of a record. */
export interface LeafPart extends BlockPart {
  readonly columns: readonly LeafColumn[];
}

/** Kinds of columns from which values are read. The first has their type. */
const kindsOf: Readonly<Record<Leaf['kind'], readonly LeafKind[]>> = {
  double: ['#', '%', '$'],
  boolean: ['?', '$'],
  keyword: ['$', '%', '?'],
  digits: ['$', '%', '#'],
};

/** Whether columns have all values of a leaf. Only shapes say that the text of a number has zeros (21.50). */
export const isInColumns = ({ root, keys, kind }: Leaf, paths: BlockPaths): boolean =>
  kind !== 'keyword' || !keys.some((list) => paths.has(leafName(root, { kind: '#', path: pathOfKeys(list) })));

/** Whether some product has the values of a leaf only in JSON. */
const isRead = ({ declaring = [] }: Leaf, sources: readonly BlockSource[]): boolean =>
  !sources.every(({ productId }) => productId !== null && declaring.includes(productId));

/**
 * Returns the part of a leaf. It reads the aliases of `wholeJoin` and of the leaf's slot, too. That of lists reads the
 * JSON of `r`.
 */
export const leafPart = (leaf: Leaf, sources: readonly BlockSource[], paths: BlockPaths): LeafPart => {
  if (!isRead(leaf, sources)) return { ...unread(leaf.kind === 'keyword' ? sql`text` : sql`float8`), columns: [] };
  const columns = candidatesOf(leaf, paths).map(({ kind, cols }, index) => {
    const c = sql`${leaf.column}${name('column', index)}`;
    const isText = kind === '$' || kind === '%';
    const isNative = kind === kindsOf[leaf.kind][0];
    return { c, cols, isText, isNative, output: readings[leaf.kind](sql`x.${c}`, kind) };
  });
  const output = columns.length === 1 ? columns[0]!.output : sql`coalesce(${join(columns.map((one) => one.output))})`;
  return {
    columns,
    joins: columns.map(({ c, cols }) => {
      const numbers = sources.map(({ source }) => cols.get(source) ?? null);
      // A column with the same values as another names it.
      return sql`left join record_block_column ${c}s on ${c}s.block = b.block and ${c}s.col = (${numbers}::smallint[])[s.place]
    left join record_block_column ${c} on ${c}.block = b.block and ${c}.col = coalesce(${c}s.same, ${c}s.col)`;
    }),
    arrays: columns.flatMap(({ c, isText }, index) => {
      const cells = isText ? textsOf(c) : numbersOf(c);
      const values = ifLarge(leaf, index === 0 && !leaf.isList ? orWhole(leaf, cells) : cells, isText);
      return isText ? [sql`${values} as ${c}`] : numberArrays(c, values);
    }),
    values: columns.flatMap(({ c, isText }) => (isText ? [sql`unnest(a.${c}) as ${c}`] : numberValues(c))),
    output: leaf.isList ? orListed(leaf, output) : output,
  };
};

/** Values of a record: those in JSON, which only blocks with lists have, else the single value of the columns. */
const orListed = ({ root, stored }: Leaf, value: Sql): Sql =>
  sql`(case when ${partOf(root)} is null then array_remove(array[${value}], null) else ${stored} end)`;

/** Returns the columns that may have the values. The first may have those of parts that are kept whole. */
const candidatesOf = ({ root, keys, kind }: Leaf, paths: BlockPaths): readonly Candidate[] => {
  const lists = keys.map(pathOfKeys);
  const all = (kind === 'digits' ? lists.flatMap((path) => [path, `${path}[0]`]) : lists).flatMap((path) =>
    kindsOf[kind].map((of) => ({ kind: of, cols: paths.get(leafName(root, { kind: of, path })) })),
  );
  return all.flatMap(({ kind: of, cols }, index) =>
    cols || index === 0 ? [{ kind: of, cols: cols ?? new Map<number, number>() }] : [],
  );
};

/** Values of a block whose part is kept whole, else those of a column. */
const orWhole = ({ root, stored }: Leaf, cells: Sql): Sql =>
  sql`case when ${isWhole(root)} then array(select ${stored} from ${wholeRows(root)}) else ${cells} end`;

/** Values of a block whose numbers are too large for doubles, else none. */
const ifLarge = ({ slot }: Leaf, values: Sql, isText: boolean): Sql => {
  if (slot === undefined) return values;
  const c = name('number', slot);
  return sql`case when ${c}.lo > -9007199254740992 and ${c}.hi < 9007199254740992 then array_fill(null::${isText ? sql`text` : sql`float8`}, array[b.n]) else ${values} end`;
};

const numeric = sql`'^-?[0-9]{1,40}([.][0-9]{1,40})?$'`;

/** Reads a value of a column. */
const readings: Readonly<Record<Leaf['kind'], (value: Sql, kind: LeafKind) => Sql>> = {
  double: (value, kind) =>
    kind === '#'
      ? value
      : kind === '%'
        ? sql`${value}::float8`
        : sql`(case when ${value} ~ ${numeric} then ${value}::float8 end)`,
  boolean: (value, kind) =>
    kind === '?' ? value : sql`(case ${value} when 'true' then 1::float8 when 'false' then 0::float8 end)`,
  keyword: (value, kind) => (kind === '?' ? sql`(case ${value} when 1 then 'true' when 0 then 'false' end)` : value),
  digits: (value, kind) =>
    kind === '$'
      ? sql`(case when ${value} ~ '^[+-]?[0-9]+([.]0*)?$' then ${value} end)`
      : kind === '#'
        ? sql`${value}::text::numeric::text`
        : value,
};

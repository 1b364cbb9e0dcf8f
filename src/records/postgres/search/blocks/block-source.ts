import sql, { empty, join, type Sql } from 'sql-template-tag';
import { instantText } from '#search/query/option/instant.js';
import type { Predicate } from '#search/query/predicate.js';
import { noProduct } from '../rollup/rollup-part.js';
import type { Whose } from '../rollup/rollup-range.js';
import type { BlockNeed } from './block-need.js';
import { type BlockPart, devicePart, numberPart, seqPart, textPart, timePart, unread } from './block-part.js';
import { type BlockRange, type DaySpan, splitSpans } from './block-range.js';
import { skipConditions } from './block-skip.js';
import { idPart } from './id-part.js';
import { jsonPart, wholeJoin } from './json-part.js';
import { leafPart } from './leaf-part.js';

/**
 * Replaces `record r` by records from blocks, and by rows where there are none. The columns are those of `record` that a
 * statement needs, and a column for each leaf. JSON has only what the statement needs. If the records are shown, blocks
 * give no identifiers unless the statement compares them.
 */
export const blockSource = (scope: BlockScope, range: BlockRange, need: BlockNeed): Sql => {
  const { whole, partial } = splitSpans(range.spans, scope);
  const blocks = [
    ...(whole.length > 0 ? [decoded(scope, { ...range, spans: whole }, need)] : []),
    ...(partial.length > 0 ? [decoded(scope, { ...range, spans: partial }, need, true)] : []),
  ];
  return sql`(${join([...rowParts(scope, range, need), ...blocks], '\nunion all ')}) r`;
};

/** Records that a query may see. */
export interface BlockScope extends Whose {
  /** ISO 8601, both inclusive. */
  readonly from: string;
  readonly to: string;
  /** Condition on the rows, as `r`. */
  readonly condition: Sql;
  /** Predicates that the statement tests anyhow: blocks without a match need not be decoded. */
  readonly predicates: readonly Predicate[];
}

const rowParts = (
  { condition }: BlockScope,
  { rows }: BlockRange,
  { seq, id, place, leaves, inJson }: BlockNeed,
): Sql[] => {
  const columns = [
    sql`r.organization_id, r.device_id, r.product_id, r.ts, r.numbers, r.texts, r.data, r.metadata, r.many`,
    ...(seq ? [sql`r.seq`] : []),
    ...(id || place ? [sql`r.id`] : []),
    ...(place ? [sql`r.frame, r.ignored, null::int as block, null::int as place`] : []),
    ...[...leaves, ...inJson].map(({ column, stored }) => sql`${stored} as ${column}`),
  ];
  const part = (source: Sql, when?: Sql) =>
    sql`select ${join(columns)} from ${source} where ${condition}${when ? sql` and ${when}` : empty}`;
  if (rows === undefined) return [part(sql`record r`)];
  const { from, to, gaps } = rows;
  const ofGaps = (product: Sql, some: readonly DaySpan[]) => {
    const [first, last] = [Math.min(...some.map(({ start }) => start)), Math.max(...some.map(({ until }) => until))];
    return part(
      sql`${gapTable(some)} y (product_id, start, until) join record r on ${product} and r.ts >= y.start and r.ts < y.until`,
      sql`r.ts >= ${instantText(first)}::timestamptz and r.ts < ${instantText(last)}::timestamptz`,
    );
  };
  const [owned, unowned] = [
    gaps.filter(({ productId }) => productId !== null),
    gaps.filter(({ productId }) => productId === null),
  ];
  return [
    part(sql`record r`, sql`r.ts < ${from}::timestamptz`),
    part(sql`record r`, sql`r.ts >= ${to}::timestamptz`),
    ...(owned.length > 0 ? [ofGaps(sql`r.product_id = y.product_id`, owned)] : []),
    ...(unowned.length > 0 ? [ofGaps(sql`r.product_id is null and y.product_id = ${noProduct}::uuid`, unowned)] : []),
  ];
};

/** Rows of product, start and end. */
const gapTable = (gaps: readonly DaySpan[]): Sql =>
  sql`unnest(${gaps.map(({ productId }) => productId ?? noProduct)}::uuid[], ${gaps.map(({ start }) => instantText(start))}::timestamptz[], ${gaps.map(({ until }) => instantText(until))}::timestamptz[])`;

/**
 * Selects the records of blocks.
 * @param isPartial whether the scope may begin or end within a day
 */
export const decoded = (scope: BlockScope, range: BlockRange, need: BlockNeed, isPartial = false): Sql => {
  const { sources, everyDevice, paths } = range;
  const device = need.device || !everyDevice ? devicePart(scope.deviceIds, everyDevice) : unread(sql`uuid`);
  const time = need.time || isPartial ? timePart : unread(sql`timestamptz`);
  const [numbers, texts] = [bySlot(need.numbers, numberPart), bySlot(need.texts, textPart)];
  const beside = [
    ...(need.seq ? [seqPart] : []),
    ...(need.id ? [idPart] : need.place ? [unread(sql`uuid`)] : []),
    ...(need.place ? [placePart] : []),
  ];
  const leaves = need.leaves.map((leaf) => leafPart(leaf, sources, paths));
  const json = jsonNames.map((part) =>
    need.json.has(part) ? jsonPart(part, need.json.get(part)!, paths) : unread(sql`jsonb`),
  );
  const parts = [device, time, ...beside, ...numbers.values(), ...texts.values(), ...leaves, ...json];
  const wholes = new Set([...need.leaves.map(({ root }) => root), ...need.json.keys()]);
  const outputs = [
    sql`${scope.organizationId}::uuid as organization_id`,
    sql`${device.output} as device_id`,
    sql`s.product_id`,
    sql`${time.output} as ts`,
    sql`${arrayOf(numbers, sql`float8`)} as numbers`,
    sql`${arrayOf(texts, sql`text`)} as texts`,
    ...json.map(({ output }) => output),
    ...[...beside, ...leaves].map(({ output }) => output),
    ...need.inJson.map(({ stored }) => stored),
  ];
  const values = parts.flatMap((part) => part.values);
  const skips = [
    ...skipConditions(scope.predicates, {
      sources,
      leaves: new Map(need.leaves.map((leaf, index) => [leaf, leaves[index]!.columns])),
    }),
    ...(everyDevice
      ? []
      : [
          sql`b.devices && array(select d.device from record_block_device d where d.device_id = any(${scope.deviceIds}::uuid[]))`,
          sql`x.device_id is not null`,
        ]),
    ...(isPartial ? [sql`x.ts >= ${scope.from}::timestamptz and x.ts <= ${scope.to}::timestamptz`] : []),
  ];
  return sql`
    select ${join(outputs, ', ')}
    from ${blocksOf(range)}
    ${listed([...[...wholes].map(wholeJoin), ...parts.flatMap(({ joins }) => joins)], '\n    ')}
    cross join lateral (select ${listed(parts.flatMap(({ arrays }) => arrays))} offset 0) a
    cross join lateral (select ${values.length === 0 ? sql`generate_series(1, b.n)` : join(values)}) x${
      need.json.size === 0
        ? empty
        : sql`
    cross join lateral (select ${json[0]!.output} as data, ${json[1]!.output} as metadata) r`
    }${
      skips.length === 0
        ? empty
        : sql`
    where ${join(skips, ' and ')}`
    }`;
};

/** Block of a record, and its place there. */
const placePart: BlockPart = {
  joins: [],
  arrays: [],
  values: [sql`generate_series(1, b.n) as place`],
  output: sql`null::jsonb, null::text[], b.block, x.place`,
};

/** Blocks `b` of the days, each with its source, its product and the place of the source. */
const blocksOf = ({ sources, spans }: Pick<BlockRange, 'sources' | 'spans'>): Sql => {
  const placed = spans.flatMap((span) => {
    const place = sources.findIndex(({ productId }) => productId === span.productId);
    return place < 0 ? [] : [{ ...span, source: sources[place]!.source, place: place + 1 }];
  });
  const [starts, ends] = [placed.map(({ start }) => start), placed.map(({ until }) => until)];
  const [first, last] = [Math.min(...starts), Math.max(...ends)];
  const isOneRange = starts.every((start) => start === first) && ends.every((end) => end === last);
  // Constants tell the planner how many blocks there are.
  const each = isOneRange ? empty : sql` and b.day >= s.start and b.day < s.until`;
  return sql`unnest(${placed.map(({ source }) => source)}::int[], ${placed.map(({ productId }) => productId)}::uuid[], ${placed.map(({ place }) => place)}::int[], ${starts.map(dayText)}::date[], ${ends.map(dayText)}::date[]) s (source, product_id, place, start, until)
    join record_block b on b.source = s.source and b.day >= ${dayText(first)}::date and b.day < ${dayText(last)}::date${each}`;
};

/** Parts of JSON in the order of the columns. */
const jsonNames = ['data', 'metadata', 'many'] as const;

const dayText = (start: number): string => instantText(start).slice(0, 10);

/** Joins parts, of which there may be none. */
const listed = (parts: readonly Sql[], separator = ', '): Sql => (parts.length === 0 ? empty : join(parts, separator));

const bySlot = (slots: readonly number[], partOf: (slot: number) => BlockPart): ReadonlyMap<number, BlockPart> =>
  new Map(slots.map((slot) => [slot, partOf(slot)]));

/** Array with the values of some slots in their places. */
const arrayOf = (parts: ReadonlyMap<number, BlockPart>, type: Sql): Sql => {
  const last = Math.max(0, ...parts.keys());
  const places = Array.from({ length: last }, (_, index) => parts.get(index + 1)?.output ?? sql`null`);
  return places.length === 0 ? sql`null::${type}[]` : sql`array[${join(places)}]::${type}[]`;
};

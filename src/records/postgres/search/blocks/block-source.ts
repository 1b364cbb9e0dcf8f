import sql, { empty, join, type Sql } from 'sql-template-tag';
import { instantText } from '#search/query/option/instant.js';
import type { Predicate } from '#search/query/predicate.js';
import { noProduct } from '../rollup/rollup-part.js';
import type { Whose } from '../rollup/rollup-range.js';
import type { BlockNeed } from './block-need.js';
import { type BlockPart, devicePart, numberPart, seqPart, textPart, timePart, unread } from './block-part.js';
import type { BlockRange, Gap } from './block-range.js';
import { skipConditions } from './block-skip.js';
import { idPart } from './id-part.js';
import { jsonPart, wholeJoin } from './json-part.js';
import { leafPart } from './leaf-part.js';

/**
 * Replaces `record r` by records from blocks, and by rows where there are none. The columns are those of `record` that a
 * statement needs, and a column for each leaf. JSON has only what the statement needs.
 */
export const blockSource = (scope: BlockScope, range: BlockRange, need: BlockNeed): Sql =>
  sql`(${join([...rowParts(scope, range, need), decoded(scope, range, need)], '\nunion all ')}) r`;

/** Records that a query may see. */
interface BlockScope extends Whose {
  /** Condition on the rows, as `r`. */
  readonly condition: Sql;
  /** Predicates that the statement tests anyhow: blocks without a match need not be decoded. */
  readonly predicates: readonly Predicate[];
}

const rowParts = (
  { condition }: BlockScope,
  { from, to, gaps }: BlockRange,
  { seq, id, leaves, inJson }: BlockNeed,
): Sql[] => {
  const columns = [
    sql`r.organization_id, r.device_id, r.product_id, r.ts, r.numbers, r.texts, r.data, r.metadata, r.many`,
    ...(seq ? [sql`r.seq`] : []),
    ...(id ? [sql`r.id`] : []),
    ...[...leaves, ...inJson].map(({ column, stored }) => sql`${stored} as ${column}`),
  ];
  const part = (source: Sql, when: Sql) => sql`select ${join(columns)} from ${source} where ${condition} and ${when}`;
  const ofGaps = (product: Sql, some: readonly Gap[]) => {
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
const gapTable = (gaps: readonly Gap[]): Sql =>
  sql`unnest(${gaps.map(({ productId }) => productId ?? noProduct)}::uuid[], ${gaps.map(({ start }) => instantText(start))}::timestamptz[], ${gaps.map(({ until }) => instantText(until))}::timestamptz[])`;

const decoded = (scope: BlockScope, range: BlockRange, need: BlockNeed): Sql => {
  const { from, to, sources, gaps, everyDevice, paths } = range;
  const device = need.device || !everyDevice ? devicePart(scope.deviceIds, everyDevice) : unread(sql`uuid`);
  const time = need.time ? timePart : unread(sql`timestamptz`);
  const [numbers, texts] = [bySlot(need.numbers, numberPart), bySlot(need.texts, textPart)];
  const beside = [...(need.seq ? [seqPart] : []), ...(need.id ? [idPart] : [])];
  const leaves = need.leaves.map((leaf) => leafPart(leaf, sources, paths));
  const json = jsonNames.map((part) =>
    need.json.has(part) ? jsonPart(part, need.json.get(part)!, paths) : unread(sql`jsonb`),
  );
  const parts = [device, time, ...beside, ...numbers.values(), ...texts.values(), ...leaves, ...json];
  const wholes = new Set([...need.leaves.map(({ root }) => root), ...need.json.keys()]);
  const outputs = [
    sql`${scope.organizationId}::uuid`,
    device.output,
    sql`s.product_id`,
    time.output,
    arrayOf(numbers, sql`float8`),
    arrayOf(texts, sql`text`),
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
  ];
  const products = sources.map(({ productId }) => productId);
  const fresh =
    gaps.length === 0
      ? empty
      : sql` and not exists (
        select from ${gapTable(gaps)} y (product_id, start, until)
        where y.product_id = coalesce(s.product_id, ${noProduct}::uuid) and b.day >= y.start::date and b.day < y.until::date)`;
  return sql`
    select ${join(outputs, ', ')}
    from unnest(${sources.map(({ source }) => source)}::int[], ${products}::uuid[]) with ordinality s (source, product_id, place)
    join record_block b on b.source = s.source and b.day >= ${dayText(from)}::date and b.day < ${dayText(to)}::date${fresh}
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

/** Parts of JSON in the order of the columns. */
const jsonNames = ['data', 'metadata', 'many'] as const;

const dayText = (start: string): string => instantText(Date.parse(start)).slice(0, 10);

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

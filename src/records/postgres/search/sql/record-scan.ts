import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Field } from '#search/field/field.js';
import { fieldsOf, type Predicate } from '#search/query/predicate.js';
import { timeLeft } from '#search/query/time-left.js';
import { blockNeed, hasManyLeaves } from '../blocks/block-need.js';
import { type BlockRange, spansWithin } from '../blocks/block-range.js';
import { blockSource } from '../blocks/block-source.js';
import { leavesOf } from '../blocks/leaf-field.js';
import type { RollupRange } from '../rollup/rollup-range.js';
import { rollupSource } from '../rollup/rollup-source.js';
import { condition } from './sql-condition.js';
import { devicesWith } from './stored-field.js';

/** Limits the records that a query may see: those the caller may read, of the requested products and time. */
export interface Scope {
  readonly organizationId: string;
  /** Devices linked to the application. */
  readonly deviceIds: readonly string[];
  /** Empty: records of every product, and records without a product. */
  readonly productIds: readonly string[];
  /** ISO 8601, both inclusive. */
  readonly from: string;
  readonly to: string;
  /** Set if rollups are read instead of records. */
  readonly rollup?: RollupRange;
  /** Days that only blocks hold. Set if there are any: no statement sees their records in rows. */
  readonly alone?: BlockRange;
  /** Set if blocks are read instead of rows, as far as they have what a statement reads. It has the days of `alone`. */
  readonly blocks?: BlockRange;
  /** Selects the records that are read instead of all rows. */
  readonly records?: Sql;
  /** Set if few devices are read from rollups, always by the index of the devices. */
  readonly hasFewDevices?: boolean;
}

/** Returns the scope that reads rows wherever there are any, beside rollups. */
export const withoutBlocks = ({ blocks: _, ...scope }: Scope): Scope => scope;

/** SQL condition of a scope over the alias `r`, in a form that lets PostgreSQL use partitions and indexes. */
export const scopeCondition = ({ organizationId, deviceIds, productIds, from, to }: Scope): Sql => {
  // With an equality for a single device, the index returns its records in order of time.
  const devices =
    deviceIds.length === 1 ? sql`r.device_id = ${deviceIds[0]}::uuid` : sql`r.device_id = any(${deviceIds}::uuid[])`;
  const products = productIds.length === 0 ? empty : sql` and r.product_id = any(${productIds}::uuid[])`;
  return sql`r.organization_id = ${organizationId}::uuid and ${devices}${products} and r.ts >= ${from}::timestamptz and r.ts <= ${to}::timestamptz`;
};

/** Narrows the days that are read from blocks to those of which a statement may read records. */
const daysWithin = (range: BlockRange, { from, to }: Scope, predicates: readonly Predicate[]): BlockRange => {
  const span = timeLeft({ from: Date.parse(from), to: Date.parse(to) }, predicates);
  return { ...range, spans: spansWithin(range.spans, span) };
};

/** Returns the days of which a statement may read records that only blocks hold; undefined without any. */
export const aloneWithin = (scope: Scope, predicates: readonly Predicate[]): BlockRange | undefined => {
  const range = scope.alone && daysWithin(scope.alone, scope, predicates);
  return range?.spans.length ? range : undefined;
};

/** Returns the rollups or blocks that replace `record r`, which apply the scope; undefined if records are read. */
const replacementOf = (
  scope: Scope,
  predicates: readonly Predicate[],
  fields: readonly Field[],
  isShown: boolean,
): Sql | undefined => {
  const { rollup, blocks } = scope;
  if (rollup) return rollupSource(scope, rollup);
  const mayPrefer = blocks && !isShown && !hasManyLeaves(fields, predicates);
  const range = mayPrefer ? daysWithin(blocks, scope, predicates) : aloneWithin(scope, predicates);
  if (range === undefined) return undefined;
  const need = blockNeed(fields, predicates, range.paths, isShown);
  return blockSource({ ...scope, condition: scopeCondition(scope), predicates }, range, need);
};

/** Returns the rows, with the columns of the leaves that fields may read. */
const rowsWith = (fields: readonly Field[], records = sql`record`): Sql => {
  const leaves = [...new Set(fields.flatMap(leavesOf))];
  const columns = leaves.map(({ column, stored }) => sql`, ${stored} as ${column}`);
  return leaves.length === 0 ? sql`${records} r` : sql`(select r.*${join(columns, '')} from ${records} r) r`;
};

/** Rows that a statement reads, and the condition that they match. */
export interface Scan {
  readonly source: Sql;
  readonly where: Sql;
  /** Block of a record and its place there; both null for a row. Only of records that are shown. */
  readonly places: readonly [block: Sql, place: Sql];
}

/**
 * Builds the source and the condition of a statement.
 * @param fields fields that the statement reads apart from those of the predicates
 * @param isShown whether the records are shown, so that all their columns are read
 */
export const scan = (
  wide: Scope,
  predicates: readonly Predicate[],
  fields: readonly Field[],
  isShown = false,
): Scan => {
  const { scope, rest } = narrow(wide, predicates);
  const all = [...fields, ...rest.flatMap(fieldsOf)];
  const replacement = replacementOf(scope, rest, fields, isShown);
  const records = replacement ?? rowsWith(all, scope.records);
  const isOfDevice = all.some(({ ofDevice }) => ofDevice);
  return {
    source: isOfDevice ? sql`${records} join ${devicesWith(all)} on d.id = r.device_id` : records,
    where: join([replacement ? sql`true` : scopeCondition(scope), ...rest.map(condition)], ' and '),
    places: replacement ? [sql`r.block`, sql`r.place`] : [sql`null::int`, sql`null::int`],
  };
};

/** Applies the predicates on device IDs to a scope, and returns the remaining predicates. */
export const narrow = (
  scope: Scope,
  predicates: readonly Predicate[],
): { scope: Scope; rest: readonly Predicate[] } => {
  const parts = predicates.flatMap((one) => (one.kind === 'and' ? one.of : [one])).filter(({ kind }) => kind !== 'all');
  const [named, rest] = [parts.filter(namesDevices), parts.filter((one) => !namesDevices(one))];
  if (named.length === 0) return { scope, rest };
  const sets = named.map(({ values }) => new Set(values));
  const deviceIds = scope.deviceIds.filter((id) => sets.every((set) => set.has(id)));
  const [blocks, alone] = [scope.blocks, scope.alone].map((range) => range && { ...range, everyDevice: false });
  return { scope: { ...scope, deviceIds, ...(blocks && { blocks }), ...(alone && { alone }) }, rest };
};

const namesDevices = (predicate: Predicate): predicate is Extract<Predicate, { kind: 'in' }> =>
  predicate.kind === 'in' && predicate.field.path === 'device.id';

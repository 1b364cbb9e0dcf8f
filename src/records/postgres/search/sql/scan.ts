import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Field } from '../../../../search/field/field.js';
import { fieldsOf, type Predicate } from '../../../../search/query/predicate.js';
import type { RollupRange } from '../rollup/range.js';
import { rollupSource } from '../rollup/source.js';
import { condition } from './condition.js';

/** The records that a query may see at all: what the caller may read, in the products and the time asked for. */
export interface Scope {
  readonly organizationId: string;
  /** The devices linked to the application. */
  readonly deviceIds: readonly string[];
  /** Empty: records of every product and of none. */
  readonly productIds: readonly string[];
  /** ISO 8601 texts, both included. */
  readonly from: string;
  readonly to: string;
  /** Set where rollups stand in for records. */
  readonly rollup?: RollupRange;
  /** Set where few devices are read from rollups: by their index, whatever the values. */
  readonly ofFew?: boolean;
}

/** The condition of a scope, over alias `r`. Written so that partitions and indexes serve it. */
export const scopeCondition = ({ organizationId, deviceIds, productIds, from, to }: Scope): Sql => {
  // An equality, where it can be one: an index then has the records in their order of time.
  const devices =
    deviceIds.length === 1 ? sql`r.device_id = ${deviceIds[0]}::uuid` : sql`r.device_id = any(${deviceIds}::uuid[])`;
  const products = productIds.length === 0 ? empty : sql` and r.product_id = any(${productIds}::uuid[])`;
  return sql`r.organization_id = ${organizationId}::uuid and ${devices}${products} and r.ts >= ${from}::timestamptz and r.ts <= ${to}::timestamptz`;
};

/** `record r` or what stands in for it, with the device joined where a field needs it. */
const sourceOf = (scope: Scope, fields: readonly Field[]): Sql => {
  const records = scope.rollup ? rollupSource(scope, scope.rollup) : sql`record r`;
  return fields.some(({ ofDevice }) => ofDevice) ? sql`${records} join device d on d.id = r.device_id` : records;
};

/** The records of a scope that match. `fields`: others that the statement reads. */
export interface Scan {
  readonly source: Sql;
  readonly where: Sql;
}

/** Where a statement reads its records from. */
export const scan = (wide: Scope, predicates: readonly Predicate[], fields: readonly Field[]): Scan => {
  const { scope, rest } = narrow(wide, predicates);
  return {
    source: sourceOf(scope, [...fields, ...rest.flatMap(fieldsOf)]),
    // What stands in for records is of the scope already.
    where: join([scope.rollup ? sql`true` : scopeCondition(scope), ...rest.map(condition)], ' and '),
  };
};

/** A scope with only those devices that predicates leave of it, and what else the predicates ask. */
export const narrow = (
  scope: Scope,
  predicates: readonly Predicate[],
): { scope: Scope; rest: readonly Predicate[] } => {
  const parts = predicates.flatMap((one) => (one.kind === 'and' ? one.of : [one])).filter(({ kind }) => kind !== 'all');
  const [named, rest] = [parts.filter(namesDevices), parts.filter((one) => !namesDevices(one))];
  if (named.length === 0) return { scope, rest };
  const sets = named.map(({ values }) => new Set(values));
  return { scope: { ...scope, deviceIds: scope.deviceIds.filter((id) => sets.every((set) => set.has(id))) }, rest };
};

const namesDevices = (predicate: Predicate): predicate is Extract<Predicate, { kind: 'in' }> =>
  predicate.kind === 'in' && predicate.field.path === 'device.id';

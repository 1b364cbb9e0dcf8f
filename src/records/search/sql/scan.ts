import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Field } from '../field/field.js';
import { fieldsOf, type Predicate } from '../query/predicate.js';
import { type RollupRange, rollupSource } from '../rollup/source.js';
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
}

/** The condition of a scope, over alias `r`. Written so that partitions and indexes serve it. */
export const scopeCondition = ({ organizationId, deviceIds, productIds, from, to }: Scope): Sql => {
  const products = productIds.length === 0 ? empty : sql` and r.product_id = any(${productIds}::uuid[])`;
  return sql`r.organization_id = ${organizationId}::uuid and r.device_id = any(${deviceIds}::uuid[])${products} and r.ts >= ${from}::timestamptz and r.ts <= ${to}::timestamptz`;
};

/** `record r`, with the device joined where a field needs it. */
export const sourceOf = (fields: readonly Field[]): Sql =>
  fields.some(({ ofDevice }) => ofDevice) ? sql`record r join device d on d.id = r.device_id` : sql`record r`;

/** The records of a scope that match. `fields`: others that the statement reads. */
export interface Scan {
  readonly source: Sql;
  readonly where: Sql;
}

/** Where a statement reads its records from. */
export const scan = (scope: Scope, predicates: readonly Predicate[], fields: readonly Field[]): Scan => {
  const conditions = predicates.filter(({ kind }) => kind !== 'all').map(condition);
  return {
    source: scope.rollup ? rollupSource(scope, scope.rollup) : sourceOf([...fields, ...predicates.flatMap(fieldsOf)]),
    where: join([scopeCondition(scope), ...conditions], ' and '),
  };
};

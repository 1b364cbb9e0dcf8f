import sql, { join, type Sql } from 'sql-template-tag';
import type { Field } from '#search/field/field.js';
import type { Predicate } from '#search/query/predicate.js';
import { name } from '../sql/name.js';
import type { BlockSource } from './find-blocks.js';
import { isWhole } from './json-part.js';
import { type Leaf, leavesOf } from './leaf-field.js';
import type { LeafColumn } from './leaf-part.js';

/** Columns of a statement, by which blocks are skipped. */
export interface SkipColumns {
  readonly sources: readonly BlockSource[];
  /** Columns of the leaves that are read from columns. */
  readonly leaves: ReadonlyMap<Leaf, readonly LeafColumn[]>;
}

/**
 * Returns conditions that a block meets if it may have records that match all predicates. They read the joined columns
 * of the block, but no arrays of values.
 */
export const skipConditions = (predicates: readonly Predicate[], columns: SkipColumns): Sql[] =>
  predicates.flatMap((predicate) => conditionOf(predicate, columns) ?? []);

/** Returns undefined if every block may have matching records. */
const conditionOf = (predicate: Predicate, columns: SkipColumns): Sql | undefined => {
  switch (predicate.kind) {
    case 'and': {
      const parts = skipConditions(predicate.of, columns);
      return parts.length === 0 ? undefined : sql`(${join(parts, ' and ')})`;
    }
    case 'or': {
      const parts = predicate.of.flatMap((one) => conditionOf(one, columns) ?? []);
      return parts.length < predicate.of.length ? undefined : sql`(${join(parts, ' or ')})`;
    }
    case 'in':
    case 'range':
    case 'exists':
    case 'pattern':
      return ofField(predicate, columns);
    default:
      return undefined;
  }
};

type OfField = Extract<Predicate, { kind: 'in' | 'range' | 'exists' | 'pattern' }>;

const ofField = (predicate: OfField, columns: SkipColumns): Sql | undefined => {
  const { field } = predicate;
  const slot = slotOf(field, columns);
  if (slot !== undefined) return mayHave(predicate, slot);
  const [leaf, ...others] = leavesOf(field);
  const isOne = others.length === 0 && field.origin.kind === 'undeclared' && !leaf?.isList;
  const found = leaf && isOne && columns.leaves.get(leaf);
  if (!found) return undefined;
  const may = found.map((column) =>
    // Values of another type are compared after they are converted.
    column.isNative ? mayHave(predicate, column) : sql`${column.c}.block is not null`,
  );
  return sql`(${join([isWhole(leaf.root), ...may], ' or ')})`;
};

/** Returns the column of a field that all products declare and have in the same slot. */
const slotOf = (
  { origin, multi, kind }: Field,
  { sources }: SkipColumns,
): Pick<LeafColumn, 'c' | 'isText'> | undefined => {
  if (origin.kind !== 'declared' || multi) return undefined;
  const slots = sources.map(({ productId }) => origin.variables.find((one) => one.productId === productId)?.slot);
  const [slot] = slots;
  if (slot === undefined || slot === null || slots.some((other) => other !== slot)) return undefined;
  const isText = kind === 'keyword';
  return { c: name(isText ? 'text' : 'number', slot), isText };
};

/** Whether a column may have a value that meets a predicate. */
const mayHave = (predicate: OfField, { c, isText }: Pick<LeafColumn, 'c' | 'isText'>): Sql => {
  const present = sql`${c}.block is not null`;
  if (predicate.kind === 'in' && isText)
    return sql`(${present} and (${c}.dict is null or ${c}.dict && ${predicate.values}::text[]))`;
  if (isText || (predicate.kind !== 'in' && predicate.kind !== 'range')) return present;
  if (predicate.kind === 'in')
    return sql`(${present} and (${c}.lo is null or exists (select from unnest(${predicate.values}::float8[]) v where v between ${c}.lo and ${c}.hi)))`;
  const { lower, upper } = predicate;
  const parts = [
    ...(lower ? [sql`${c}.hi >= ${lower.value}::float8`] : []),
    ...(upper ? [sql`${c}.lo <= ${upper.value}::float8`] : []),
  ];
  return parts.length === 0 ? present : sql`(${present} and (${c}.lo is null or (${join(parts, ' and ')})))`;
};

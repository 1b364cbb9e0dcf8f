import { VariableType } from '#entities/enums.js';
import type { Field } from '#search/field/field.js';
import { fieldsOf, type Predicate } from '#search/query/predicate.js';

/** Parts of a record that a statement reads, apart from its product. */
export interface BlockNeed {
  readonly time: boolean;
  readonly device: boolean;
  /** Slots of `numbers` and of `texts`, in ascending order. */
  readonly numbers: readonly number[];
  readonly texts: readonly number[];
  readonly seq: boolean;
}

/** Fields that every record in a block has. */
const reserved: ReadonlySet<string> = new Set([
  'ts',
  '_doc',
  'product.id',
  'device.product.id',
  'device.id',
  'device.organizationId',
]);

/**
 * Returns what a statement reads of the records in blocks of some products; undefined if it needs identifiers or JSON,
 * which only rows have.
 */
export const blockNeed = (
  fields: readonly Field[],
  predicates: readonly Predicate[],
  products: readonly (string | null)[],
): BlockNeed | undefined => {
  const all = [...fields, ...predicates.flatMap(fieldsOf)];
  if (!predicates.every(hasFieldsOnly) || !all.every((field) => isColumn(field, products))) return undefined;
  const slots = (isText: boolean) =>
    [
      ...new Set(
        all.flatMap(({ origin, kind }) =>
          origin.kind === 'declared' && (kind === 'keyword') === isText
            ? origin.variables.flatMap(({ slot }) => slot ?? [])
            : [],
        ),
      ),
    ].sort((a, b) => a - b);
  return {
    numbers: slots(false),
    texts: slots(true),
    seq: all.some(({ path }) => path === '_doc'),
    time: all.some(({ path }) => path === 'ts'),
    device: all.some(({ path, ofDevice }) => ofDevice || path === 'device.id'),
  };
};

const isColumn = (
  { path, origin, multi, valueType, ofDevice }: Field,
  products: readonly (string | null)[],
): boolean => {
  switch (origin.kind) {
    case 'reserved':
      return ofDevice || reserved.has(path);
    case 'none':
      return true;
    case 'undeclared':
      return false;
    case 'declared':
      return (
        !multi &&
        (origin.complete || products.every((id) => origin.variables.some(({ productId }) => productId === id))) &&
        // A whole number beyond 2^53 is exact only in JSON.
        !(valueType === 'long' && origin.variables.some(({ type }) => type === VariableType.INT64))
      );
  }
};

/** Whether no part of a predicate searches JSON whose fields it does not know. */
const hasFieldsOnly = (predicate: Predicate): boolean =>
  predicate.kind !== 'existsUnder' && (!('of' in predicate) || [predicate.of].flat().every(hasFieldsOnly));

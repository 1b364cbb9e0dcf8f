import { nilId } from '#entities/id.js';
import { illegalArgument } from '../search-failure.js';
import { globOf } from '../syntax/glob.js';
import {
  attributeFields,
  declaredField,
  type KnownAttribute,
  kindOfVariable,
  type SeenField,
  seenField,
} from './catalogue.js';
import type { DeclaredVariable, Field, Fields } from './field.js';
import { reservedFields } from './reserved.js';

/**
 * The known fields of a scope: variables that products declare, what records were seen to have, and attributes of
 * devices.
 */
export interface KnownFields {
  declared: DeclaredVariable[];
  seen: SeenField[];
  attributes: KnownAttribute[];
}

export interface ProductFields extends KnownFields {
  /** `products` lists those whose records have the field, with the nil UUID for records without one; null for all. */
  seen: (SeenField & { products: string[] | null })[];
}

/** Returns the fields of a scope. Empty `productIds` select all of its products. */
export const fieldsOf = (known: KnownFields, productIds: readonly string[]): Fields => resolver(known, productIds);

/**
 * Returns the fields of records of the given products (undefined for records without one). Other products neither hide
 * a value nor fail a query.
 */
export const fieldsAmong = (
  { declared, seen, attributes }: ProductFields,
  products: readonly (string | undefined)[],
): Fields => {
  const named = products.filter((id) => id !== undefined);
  const chosen = new Set(products.map((id) => id ?? nilId));
  return resolver(
    {
      declared: declared.filter(({ productId }) => chosen.has(productId)),
      seen: seen.filter((field) => field.products === null || field.products.some((id) => chosen.has(id))),
      attributes,
    },
    named.length === products.length ? named : [],
  );
};

/** Maximum number of patterns that are matched against the fields of one call: each takes time for all fields. */
const maxPatterns = 1024;

/** Creates the fields from what is known. Patterns match no attributes. */
const resolver = ({ declared, seen, attributes }: KnownFields, products: readonly string[]): Fields => {
  const variables = Map.groupBy(declared, ({ name }) => `data.${name}`);
  const catalogue = new Map(seen.map((field) => [field.path, field]));
  const bound = new Map<string, Field | undefined>([...reservedFields, ...attributeFields(attributes)]);
  const bind = (path: string): Field | undefined => {
    const found = variables.get(path);
    const cached = catalogue.get(path);
    if (found === undefined) return cached && seenField(cached);
    refuseConflict(path, found);
    const declaring = new Set(found.map(({ productId }) => productId));
    const onlyThese = products.length > 0 && products.every((id) => declaring.has(id));
    return declaredField(path, found, cached?.multi ?? false, onlyThese);
  };
  const find = (path: string) => {
    if (!bound.has(path)) bound.set(path, bind(path));
    return bound.get(path);
  };
  const kindOf = (path: string) =>
    bound.has(path) || !disagreement(variables.get(path) ?? []) ? find(path)?.kind : undefined;
  const paths = () => [...new Set([...reservedFields.keys(), ...variables.keys(), ...catalogue.keys()])];
  const matched = new Map<string, Field[]>();
  const matching = (pattern: string): Field[] => {
    const cached = matched.get(pattern);
    if (cached !== undefined) return cached;
    if (matched.size === maxPatterns)
      throw illegalArgument(`The query names more than [${maxPatterns}] field patterns and objects`);
    const found = paths()
      .filter(globOf(pattern))
      .flatMap((path) => find(path) ?? []);
    matched.set(pattern, found);
    return found;
  };
  let sorted: string[] | undefined;
  const hasUnder = (path: string): boolean => {
    sorted ??= paths().sort(); // by UTF-16 units, as `<` compares
    return sorted[firstFrom(sorted, `${path}.`)]?.startsWith(`${path}.`) ?? false;
  };
  return { find, kindOf, paths, matching, hasUnder };
};

/** Returns the index of the first of sorted texts that is not below a text. */
const firstFrom = (sorted: readonly string[], from: string): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return low;
};

const refuseConflict = (path: string, declared: readonly DeclaredVariable[]): void => {
  const kinds = disagreement(declared);
  if (!kinds) return;
  throw illegalArgument(
    `Field [${path}] has different types in the products of this query: [${kinds.join(', ')}]. Name products that agree.`,
  );
};

/** Returns the kinds of a variable if its products disagree on it. Whole numbers and fractions are compatible. */
const disagreement = (declared: readonly DeclaredVariable[]): string[] | undefined => {
  const kinds = new Set(declared.map(({ type }) => kindOfVariable[type]));
  const onlyNumbers = [...kinds].every((kind) => kind === 'long' || kind === 'double');
  return kinds.size < 2 || onlyNumbers ? undefined : [...kinds].sort();
};

import type { Answer } from '#search/aggregation/aggregation-answer.js';
import { javaDouble, printOf } from '#search/aggregation/format.js';
import type { MultiTermsAggregation } from '#search/aggregation/multi-terms.js';
import type { Field } from '#search/field/field.js';
import { compareKeys, writtenKey } from './key.js';

/** Creates the function that builds the head of a `multi_terms` bucket from the stored values of its fields. */
export const multiTermsHead = (
  { terms, showErrors }: MultiTermsAggregation,
  fields: readonly Field[],
): ((keys: readonly unknown[], count: number) => Answer) => {
  const prints = fields.map((field, index) => printOf(field, terms[index]!.format));
  return (keys, count) => {
    const parts = keys.map((raw, index) => writtenKey(fields[index], raw, prints[index]));
    const shown = parts.map(
      ({ key, key_as_string: text }, index) =>
        text ?? (fields[index]!.kind === 'double' ? javaDouble(Number(key)) : String(key)),
    );
    const key = parts.map((part, index) =>
      fields[index]!.kind === 'boolean' ? part.key === 1 : (part.key_as_string ?? part.key),
    );
    return {
      key,
      key_as_string: shown.join('|'),
      doc_count: count,
      ...(showErrors && { doc_count_error_upper_bound: 0 }),
    };
  };
};

/** Compares the keys of two buckets, value by value. */
export const compareAll =
  (fields: readonly Field[]) =>
  (a: readonly unknown[], b: readonly unknown[]): number => {
    for (const [index, { kind }] of fields.entries()) {
      const difference = compareKeys(kind, a[index], b[index]);
      if (difference !== 0) return difference;
    }
    return 0;
  };

/** Returns the combinations for which no bucket was found. */
export const notFound = (
  found: readonly { readonly keys: readonly unknown[] }[],
  all: readonly (readonly unknown[])[],
): readonly (readonly unknown[])[] => {
  const known = new Set(found.map(({ keys }) => JSON.stringify(keys)));
  return all.filter((keys) => !known.has(JSON.stringify(keys)));
};

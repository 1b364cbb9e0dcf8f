import { illegalArgument, parseFailure } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { type Read, scalarText, string } from '#search/syntax/value.js';

/** Selects the keys that make buckets, by a list or a regular expression. */
export type KeyFilter = { readonly values: readonly Input[] } | { readonly regexp: Input };

export const keyFilter: Read<KeyFilter> = (input) => {
  if (input.isArray) {
    const values = input.items();
    if (values.some((value) => scalarText(value) === undefined))
      throw parseFailure('Array elements in include/exclude clauses should be string values', input);
    return { values };
  }
  if (input.isObject) return refusePartitions(input);
  string(input);
  return { regexp: input };
};

const refusePartitions = (input: Input): never => {
  const unknown = input.members().find(({ key }) => key !== 'partition' && key !== 'num_partitions');
  if (unknown !== undefined) throw parseFailure(`Unknown parameter in Include/Exclude clause: ${unknown.key}`, input);
  throw illegalArgument('partitions of terms are not supported; use a composite aggregation', input);
};

/** @throws SearchFailure if a list and a regular expression are mixed */
export const keyFilters = (include: KeyFilter | undefined, exclude: KeyFilter | undefined, at: Input) => {
  if (include !== undefined && exclude !== undefined && 'regexp' in include !== 'regexp' in exclude)
    throw illegalArgument(
      `Cannot mix a ${'regexp' in include ? 'regex' : 'set'}-based include with a ${'regexp' in exclude ? 'regex' : 'set'}-based method`,
      at,
    );
  return { ...(include && { include }), ...(exclude && { exclude }) };
};

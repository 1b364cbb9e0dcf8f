import { parseSort } from '#search/hits/sort.js';
import { chain } from '#search/pace.js';
import { illegalArgument, WrongKind } from '#search/search-failure.js';
import { object } from '#search/syntax/object.js';
import { atLeast, kindOf, type Read } from '#search/syntax/value.js';
import { type Answer, hiddenParts } from '../aggregation-answer.js';
import { aggregationBase, type Node, type ParseAggregation } from '../aggregation-node.js';
import type { Across, Limits } from './across.js';
import { gapPolicy } from './option.js';
import { valueAt } from './path.js';

/** Sorts the buckets, or returns a page of them. */
export interface BucketSort extends Node<'bucket_sort'> {
  readonly sort: readonly { readonly path: string; readonly descending: boolean }[];
  readonly from: number;
  readonly size?: number;
  /** Whether a bucket without a value counts as zero. */
  readonly zeros: boolean;
}

const sortKeys: Read<{ path: string; descending: boolean }[]> = (input) => {
  if (!input.isObject && !input.isArray) throw new WrongKind('[sort] must be a list', input, kindOf(input));
  for (const item of input.items()) {
    if (!item.isObject && item.node.kind !== 'string')
      throw illegalArgument(
        'malformed sort format, within the sort array, an object, or an actual string are allowed',
        item,
      );
  }
  return parseSort(input).map(({ field, descending }) => ({ path: field, descending }));
};

export const bucketSort: ParseAggregation<BucketSort> = (at, frame) => {
  const options = object('bucket_sort', { sort: sortKeys, from: atLeast(0), size: atLeast(1), gap_policy: gapPolicy })(
    at,
  );
  return {
    kind: 'bucket_sort',
    ...aggregationBase(frame, at),
    sort: options.sort ?? [],
    from: options.from ?? 0,
    ...(options.size !== undefined && { size: options.size }),
    zeros: options.gap_policy === 'insert_zeros',
  };
};

export const bucketSortOf = ({ sort, from, size, zeros, at }: BucketSort, { pace }: Limits): Across => {
  if (sort.some(({ path }) => path === '')) throw illegalArgument('[bucket_sort] needs a path to sort by', at);
  return (buckets) =>
    chain(
      pace.map(buckets, (bucket) => ({ bucket, values: sort.map(({ path }) => sortValue(bucket, path, zeros)) })),
      (keyed) => {
        const some = keyed.filter(({ values }) => sort.length === 0 || values.some((parts) => !isNothing(parts)));
        const sorted = some.sort((a, b) => compareAll(a.values, b.values, sort));
        return sorted.slice(from, size === undefined ? undefined : from + size).map(({ bucket }) => bucket);
      },
    );
};

type Part = number | string | boolean | null;

/** Returns the sort value of a bucket: a number, or the parts of its key. */
const sortValue = (bucket: Answer, path: string, zeros: boolean): readonly Part[] => {
  if (path !== '_key') return [valueAt(bucket, path, zeros)];
  const key = bucket['key'];
  if (typeof key !== 'object') return [typeof key === 'string' ? key : Number(key)];
  // `multi_terms` buckets sort by the parts of their keys. The engines themselves fail at such keys.
  return ((bucket[hiddenParts] ?? []) as readonly Part[]).map((part) =>
    typeof part === 'string' ? bytesOf(part) : part,
  );
};

/**
 * Converts a text so that it compares like its UTF-8 bytes. The engines compare the parts of a key in this way, but not
 * a key that is a text.
 */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

const isNothing = ([first]: readonly Part[]): boolean => Number.isNaN(first);

const compareAll = (
  a: readonly (readonly Part[])[],
  b: readonly (readonly Part[])[],
  sort: BucketSort['sort'],
): number => {
  for (const [index, { descending }] of sort.entries()) {
    const [left, right] = [a[index]!, b[index]!];
    // Missing values come last in either direction.
    if (isNothing(left) || isNothing(right)) {
      if (isNothing(left) !== isNothing(right)) return isNothing(left) ? 1 : -1;
      continue;
    }
    const at = left.findIndex((part, place) => part !== right[place]);
    if (at >= 0) return compareParts(left[at]!, right[at]!) * (descending ? -1 : 1);
  }
  return 0;
};

/** Compares two different parts. Null is the smallest. */
const compareParts = (a: Part, b: Part): number => {
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
};

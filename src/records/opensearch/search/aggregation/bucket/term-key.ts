import type { BucketOrderKey } from '#records/answer/bucket-order.js';
import type { EngineBucket, Part } from '#records/opensearch/engine.js';
import type { KeyFilter } from '#search/aggregation/option/key-filter.js';
import type { Field } from '#search/field/field.js';
import { parseRegexp } from '#search/query/lucene/regexp.js';
import { listedKey } from '#search/query/value-of.js';
import { illegalArgument } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { scalarText, text } from '#search/syntax/value.js';
import { engineValueOf } from '../value/metric-source.js';
import type { EngineAggregationContext, SortPath } from './aggregation-context.js';

/** Maximum number of buckets requested per aggregation: one more than an answer may contain. */
export const maxTerms = 65_536;

/** Filters that select which keys become buckets. */
export interface KeyFilters {
  readonly include?: KeyFilter;
  readonly exclude?: KeyFilter;
}

/** Translates `include` and `exclude` to the engine's form. */
export const filtersOf = (field: Field, { include, exclude }: KeyFilters, context: EngineAggregationContext): Part => {
  const read = (filter: KeyFilter) => {
    const isNumber = field.kind === 'long' || field.kind === 'double';
    const keyOf = (value: Input) => {
      const key = isNumber ? listedKey(field, value) : 'none';
      return key === 'none' ? engineValueOf(field, value, context) : `${key.value}`;
    };
    if ('values' in filter) return filter.values.map(keyOf);
    if (field.kind === 'keyword') {
      parseRegexp(text(filter.regexp), filter.regexp);
      return text(filter.regexp);
    }
    throw illegalArgument(
      `Aggregation [${field.path}] cannot support regular expression style include/exclude settings as they can only be applied to string fields. Use an array of values for include/exclude clauses`,
      filter.regexp,
    );
  };
  return { ...(include && { include: read(include) }), ...(exclude && { exclude: read(exclude) }) };
};

/** Creates the function that tests keys against both filters in this process. Supports only lists. */
export const isLetIn = (field: Field, { include, exclude }: KeyFilters): ((key: string) => boolean) => {
  const listOf = (filter: KeyFilter | undefined) => {
    if (filter === undefined) return undefined;
    if ('values' in filter) return new Set(filter.values.map((value) => scalarText(value)));
    throw illegalArgument(
      `Aggregation [${field.path}] takes lists for include and exclude, not regular expressions, when records are on a cluster`,
      filter.regexp,
    );
  };
  const [some, others] = [listOf(include), listOf(exclude)];
  return (key) => (some === undefined || some.has(key)) && !others?.has(key);
};

/** Translates an order of buckets to the engine's form. */
export const orderOfEngine = (order: readonly BucketOrderKey<SortPath>[]): readonly Part[] =>
  order.map((key) => {
    const path = key.by === 'count' ? '_count' : key.by === 'key' ? '_key' : key.metric.path;
    return { [path]: key.descending ? 'desc' : 'asc' };
  });

/** Whether the engine can apply this order. */
export const isOrdered = (order: readonly BucketOrderKey<SortPath>[]): boolean =>
  order.every((key) => key.by !== 'metric' || key.metric.path !== '_key');

/** Returns the key of a bucket in the form of the stores: whole numbers beyond 2^53 as text. */
export const termKeyOf = ({ key }: EngineBucket): unknown => (typeof key === 'bigint' ? `${key}` : key);

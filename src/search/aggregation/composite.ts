import { illegalArgument, maxBuckets, parsing, SearchFailure, tooManyBuckets, WrongKind } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { atLeast, flag, kindOf, listOf, nestedArray, number, oneOf, type Read } from '../syntax/value.js';
import { aggregationBase, type FieldOptions, type Node, type ParseAggregation } from './aggregation-node.js';
import { intervalKeys, intervalOf, type TimeInterval } from './option/time-interval.js';
import { fieldOptions, valueSource } from './option/value-source.js';

const sourceKeys = {
  ...valueSource,
  order: oneOf('asc', 'desc'),
  missing_bucket: flag,
  missing_order: oneOf('first', 'last', 'default'),
} as const;

const sources: Readonly<Record<string, (at: Input, name: string) => CompositeSource>> = {
  terms: (at, name) => ({ by: 'terms', ...sourceOf(object('terms', sourceKeys)(at), at, name) }),
  histogram: (at, name) => {
    const options = object('histogram', { ...sourceKeys, interval: number })(at);
    if (options.interval === undefined || !(options.interval > 0))
      throw illegalArgument('[interval] must be greater than 0 for [histogram] source', at);
    return { by: 'histogram', interval: options.interval, ...sourceOf(options, at, name) };
  },
  date_histogram: (at, name) => {
    const options = object('date_histogram', { ...sourceKeys, ...intervalKeys })(at);
    return { by: 'date_histogram', ...intervalOf(options, at), ...sourceOf(options, at, name) };
  },
};

const sourceOf = (
  options: Parameters<typeof fieldOptions>[0] & { order?: string; missing_bucket?: boolean; missing_order?: string },
  at: Input,
  name: string,
) => {
  const missingOrder = options.missing_order;
  if (missingOrder !== undefined && missingOrder !== 'default' && !options.missing_bucket)
    throw illegalArgument('missing_order require missing_bucket is true', at);
  return {
    name,
    at,
    ...fieldOptions(options, at),
    descending: options.order === 'desc',
    missingBucket: options.missing_bucket ?? false,
    ...(missingOrder !== undefined && missingOrder !== 'default' && { missingFirst: missingOrder === 'first' }),
  };
};

/** Parses buckets by several keys, which are returned page by page. */
export const composite: ParseAggregation<CompositeAggregation> = (at, frame) => {
  const options = object('composite', { sources: compositeSources, size: atLeast(1), after: cursor })(at);
  const given = options.sources;
  if (given === undefined) throw illegalArgument('Required [sources]', at);
  const twice = given.find(({ name }, index) => given.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined)
    throw illegalArgument(`Composite source names must be unique, found duplicates: [${twice.name}]`, at);
  const { size = 10 } = options;
  if (size > maxBuckets) throw tooManyBuckets(size);
  return {
    kind: 'composite',
    ...aggregationBase(frame, at),
    sources: given,
    size,
    ...(options.after && { after: options.after }),
  };
};

const cursor: Read<Input> = (input) => {
  if (!input.isObject) throw new WrongKind('[after] must be an object', input, kindOf(input));
  return input;
};

const compositeSources: Read<CompositeSource[]> = (input) => {
  if (!input.isObject && !input.isArray) throw new WrongKind('[sources] must be a list', input, kindOf(input));
  const sources = listOf(compositeSource)(input);
  if (sources.length === 0) throw illegalArgument('Composite [sources] cannot be null or empty', input);
  return sources;
};

const compositeSource: Read<CompositeSource> = (input) => {
  const [entry, second] = input.members();
  const [type, extra] = entry?.input.members() ?? [];
  if (entry === undefined || type === undefined)
    throw parsing('A source of [composite] must be an object of one name', input);
  const read = Object.hasOwn(sources, type.key) ? sources[type.key] : undefined;
  if (read === undefined) throw parsing(`invalid source type: ${type.key}`, type.input);
  if (!type.input.isObject)
    throw parsing(`Failed to parse object: expecting an object but found [${kindOf(type.input)}]`, type.input);
  const source = read(type.input, entry.key);
  if (extra !== undefined)
    throw new SearchFailure(400, 'illegal_state_exception', 'expected value but got [END_OBJECT]', extra.input);
  if (second?.input.isArray) throw nestedArray(second.input);
  if (second !== undefined)
    throw parsing(`Failed to parse object: expecting one name but found [${second.key}]`, second.input);
  return source;
};

/** A source of keys of composite buckets. */
export type CompositeSource = {
  readonly name: string;
  readonly at: Input;
  readonly descending: boolean;
  readonly missingBucket: boolean;
  readonly missingFirst?: boolean;
} & FieldOptions &
  (
    | { readonly by: 'terms' }
    | { readonly by: 'histogram'; readonly interval: number }
    | ({ readonly by: 'date_histogram' } & TimeInterval)
  );

/** Buckets by several keys, returned page by page. */
export interface CompositeAggregation extends Node<'composite'> {
  readonly sources: readonly CompositeSource[];
  readonly size: number;
  readonly after?: Input;
}

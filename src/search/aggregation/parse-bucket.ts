import { illegalArgument, parseFailure, parsing, WrongKind } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import {
  atLeast,
  flag,
  integer,
  isNumber,
  kindOf,
  nestedArray,
  number,
  objectsOf,
  type Read,
  scalarText,
  string,
  text,
} from '../syntax/value.js';
import type { BucketOrder, KeyFilter } from './aggregation.js';
import { framed, type ParseAggregation } from './frame.js';
import { bounds, intervalKeys, intervalOf, zoneText } from './parse-interval.js';
import { fieldOptions, namedField, valueSource } from './value-source.js';

/** Lists and regular expressions do not mix. */
const keyFilters = (include: KeyFilter | undefined, exclude: KeyFilter | undefined, at: Input) => {
  if (include !== undefined && exclude !== undefined && 'regexp' in include !== 'regexp' in exclude)
    throw illegalArgument(
      `Cannot mix a ${'regexp' in include ? 'regex' : 'set'}-based include with a ${'regexp' in exclude ? 'regex' : 'set'}-based method`,
      at,
    );
  return { ...(include && { include }), ...(exclude && { exclude }) };
};

/** Reads an order: one object, or several of one key each. */
const bucketOrder: Read<BucketOrder[]> = (input) => {
  if (!input.isObject && !input.isArray) throw new WrongKind('[order] must be an object', input, kindOf(input));
  if (input.isArray && input.items().length === 0) throw parsing('Must specify at least one field for [order]', input);
  return input.items().map((item) => {
    if (item.isArray) throw nestedArray(item);
    const [entry, second] = item.members();
    if (entry === undefined || second !== undefined) throw parsing('Must specify at least one field for [order]', item);
    if (scalarText(entry.input) === undefined)
      throw parsing(`Unexpected token [${kindOf(entry.input)}] for [order]`, entry.input);
    const direction = text(entry.input).toLowerCase();
    if (direction !== 'asc' && direction !== 'desc')
      throw parsing(`Unknown order direction [${direction}]`, entry.input);
    const path = entry.key === '_term' || entry.key === '_time' ? '_key' : entry.key;
    return { path, descending: direction === 'desc', at: entry.input };
  });
};

const keyFilter: Read<KeyFilter> = (input) => {
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

const collectMode: Read<string> = (input) => {
  const mode = string(input);
  if (mode !== 'depth_first' && mode !== 'breadth_first')
    throw parseFailure(`no [collect_mode] found for value [${mode}]`, input);
  return mode;
};

const counted = {
  size: atLeast(1),
  shard_size: atLeast(1),
  min_doc_count: atLeast(0),
  shard_min_doc_count: atLeast(0),
  order: bucketOrder,
  show_term_doc_count_error: flag,
  collect_mode: collectMode,
} as const;

const terms: ParseAggregation = (at, frame) => {
  const options = object('terms', {
    ...valueSource,
    ...counted,
    execution_hint: string,
    include: keyFilter,
    exclude: keyFilter,
  })(at);
  return {
    kind: 'terms',
    ...framed(frame, at),
    ...fieldOptions(options, at),
    size: options.size ?? 10,
    minDocCount: options.min_doc_count ?? 1,
    order: options.order ?? [],
    showErrors: options.show_term_doc_count_error ?? false,
    ...keyFilters(options.include, options.exclude, at),
  };
};

const rareTerms: ParseAggregation = (at, frame) => {
  const options = object('rare_terms', {
    ...valueSource,
    max_doc_count: atLeast(1),
    precision: number,
    include: keyFilter,
    exclude: keyFilter,
  })(at);
  if ((options.max_doc_count ?? 1) > 100)
    throw illegalArgument(`[max_doc_count] must be smaller than 100 in [${frame.name}]`, at);
  return {
    kind: 'rare_terms',
    ...framed(frame, at),
    ...fieldOptions(options, at),
    maxDocCount: options.max_doc_count ?? 1,
    ...keyFilters(options.include, options.exclude, at),
  };
};

const multiTerms: ParseAggregation = (at, frame) => {
  const options = object('multi_terms', {
    ...counted,
    terms: objectsOf((input) => namedField(object('multi_terms', valueSource)(input), input)),
  })(at);
  if ((options.terms ?? []).length < 2) {
    throw illegalArgument(
      `multi term aggregation must has at least 2 terms. Found [${options.terms?.length ?? 0}] in [${frame.name}]`,
      at,
    );
  }
  return {
    kind: 'multi_terms',
    ...framed(frame, at),
    terms: options.terms!,
    size: options.size ?? 10,
    minDocCount: options.min_doc_count ?? 1,
    order: options.order ?? [],
    showErrors: options.show_term_doc_count_error ?? false,
  };
};

/** A long, which the engines read otherwise than an integer. */
const longCount: Read<number> = (input) => {
  const given = scalarText(input) ?? '';
  if (input.node.kind === 'string' && !isNumber(given)) throw illegalArgument(`For input string: "${given}"`, input);
  return atLeast(0)(input);
};

const histogramKeys = {
  keyed: flag,
  min_doc_count: longCount,
  extended_bounds: bounds,
  hard_bounds: bounds,
  order: bucketOrder,
} as const;

const dateHistogram: ParseAggregation = (at, frame) => {
  const options = object('date_histogram', { ...valueSource, ...histogramKeys, ...intervalKeys })(at);
  return {
    kind: 'date_histogram',
    ...framed(frame, at),
    ...fieldOptions(options, at),
    ...intervalOf(options, at),
    ...(options.extended_bounds && { extendedBounds: options.extended_bounds }),
    ...(options.hard_bounds && { hardBounds: options.hard_bounds }),
    keyed: options.keyed ?? false,
    minDocCount: options.min_doc_count ?? 0,
    order: options.order ?? [],
  };
};

const histogram: ParseAggregation = (at, frame) => {
  const options = object('histogram', { ...valueSource, ...histogramKeys, interval: number, offset: number })(at);
  const { interval } = options;
  if (interval === undefined || !(interval > 0))
    throw illegalArgument(`[interval] must be >0 for histogram aggregation [${frame.name}]`, at);
  return {
    kind: 'histogram',
    ...framed(frame, at),
    ...fieldOptions(options, at),
    interval,
    offset: options.offset ?? 0,
    ...(options.extended_bounds && { extendedBounds: options.extended_bounds }),
    ...(options.hard_bounds && { hardBounds: options.hard_bounds }),
    keyed: options.keyed ?? false,
    minDocCount: options.min_doc_count ?? 0,
    order: options.order ?? [],
  };
};

const autoDateHistogram: ParseAggregation = (at, frame) => {
  const options = object('auto_date_histogram', {
    ...valueSource,
    buckets: integer,
    minimum_interval: string,
    time_zone: zoneText,
  })(at);
  const buckets = options.buckets ?? 10;
  if (buckets < 1) throw illegalArgument('buckets must be a positive integer', at);
  return {
    kind: 'auto_date_histogram',
    ...framed(frame, at),
    ...fieldOptions(options, at),
    buckets,
    ...(options.minimum_interval !== undefined && { minimumInterval: options.minimum_interval }),
    ...(options.time_zone && { timeZone: options.time_zone }),
  };
};

/** Parsers of aggregations with a bucket for each value, by the name of their type. */
export const bucketParsers: Readonly<Record<string, ParseAggregation>> = {
  terms,
  rare_terms: rareTerms,
  multi_terms: multiTerms,
  date_histogram: dateHistogram,
  auto_date_histogram: autoDateHistogram,
  histogram,
};

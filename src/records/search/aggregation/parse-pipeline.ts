import { illegalArgument, parsing } from '../failure.js';
import { durationOf } from '../syntax/duration.js';
import type { Input } from '../syntax/input.js';
import { object, type Shape, type Shaped } from '../syntax/object.js';
import { anything, atLeast, flag, integer, listOf, number, type Read, text, word } from '../syntax/value.js';
import type { ParentPipeline, SiblingPipeline } from './aggregation.js';
import { named, type ParseAggregation } from './frame.js';
import { calendarMillis } from './interval.js';

const gapPolicy = word('skip', 'insert_zeros', 'keep_values');
const overPath = { buckets_path: anything, gap_policy: gapPolicy, format: anything } as const;

const pathOf = (input: Input | undefined, at: Input): string => {
  const [path, second] = input?.items() ?? [];
  if (path === undefined || path.isObject) throw parsing('Required [buckets_path] is missing', at);
  if (second !== undefined) throw illegalArgument('buckets_path must contain a single entry', at);
  return text(path);
};

const pathOptions = (options: Shaped<typeof overPath>, at: Input) => ({
  path: pathOf(options.buckets_path, at),
  zeros: options.gap_policy === 'insert_zeros',
  ...(options.format && { format: options.format }),
});

/** A parser of a pipeline over one path, with options of its own. */
const pipeline =
  <S extends Shape>(
    kind: (ParentPipeline | SiblingPipeline)['kind'],
    shape: S,
    more: (options: Shaped<S>, at: Input) => object,
  ): ParseAggregation =>
  (at, frame) => {
    const options = object(kind, { ...overPath, ...shape })(at);
    return { kind, ...named(frame, at), ...pathOptions(options, at), ...more(options as Shaped<S>, at) } as
      | ParentPipeline
      | SiblingPipeline;
  };

const nothing = () => ({});

const unitOf: Read<number> = (at) => calendarMillis(text(at)) ?? durationOf(text(at), at);

const scriptOf: Read<string> = (at) => {
  if (!at.isObject) return text(at);
  const { source, inline } = object('script', { source: text, inline: text, lang: text, params: anything })(at);
  return source ?? inline ?? '';
};

const scripted =
  (kind: 'bucket_script' | 'bucket_selector'): ParseAggregation =>
  (at, frame) => {
    const options = object(kind, { ...overPath, script: scriptOf })(at);
    const given = options.buckets_path;
    if (given === undefined || options.script === undefined)
      throw parsing(`[${kind}] must have [buckets_path] and [script]`, at);
    const paths = given.isObject
      ? given.members().map(({ key, input }) => [key, text(input)] as const)
      : given.items().map((path, index) => [`_value${given.isArray ? index : ''}`, text(path)] as const);
    return {
      kind,
      ...named(frame, at),
      paths: Object.fromEntries(paths),
      script: options.script,
      zeros: options.gap_policy === 'insert_zeros',
      ...(options.format && { format: options.format }),
    };
  };

const sortKeys: Read<{ path: string; descending: boolean }[]> = (input) =>
  input.items().flatMap((item) => {
    if (!item.isObject) return [{ path: text(item), descending: false }];
    return item.members().map(({ key, input: direction }) => {
      const order = direction.isObject
        ? object('bucket_sort', { order: word('asc', 'desc') })(direction).order
        : word('asc', 'desc')(direction);
      return { path: key, descending: order === 'desc' };
    });
  });

const bucketSort: ParseAggregation = (at, frame) => {
  const options = object('bucket_sort', { sort: sortKeys, from: atLeast(0), size: atLeast(1), gap_policy: gapPolicy })(
    at,
  );
  if (options.sort === undefined && options.size === undefined && options.from === undefined) {
    throw illegalArgument(
      `[${frame.name}] is configured to perform nothing. Please set either of [sort, size, from] to use bucket_sort`,
      at,
    );
  }
  return {
    kind: 'bucket_sort',
    ...named(frame, at),
    sort: options.sort ?? [],
    from: options.from ?? 0,
    ...(options.size !== undefined && { size: options.size }),
    zeros: options.gap_policy === 'insert_zeros',
  };
};

const defaultPercents = [1, 5, 25, 50, 75, 95, 99];

/** Parsers of pipelines, by the name of their type. */
export const pipelineParsers: Readonly<Record<string, ParseAggregation>> = {
  derivative: pipeline('derivative', { unit: unitOf }, ({ unit }) => (unit === undefined ? {} : { unitMillis: unit })),
  cumulative_sum: pipeline('cumulative_sum', {}, nothing),
  serial_diff: pipeline('serial_diff', { lag: atLeast(1) }, ({ lag }) => ({ lag: lag ?? 1 })),
  moving_fn: pipeline(
    'moving_fn',
    { window: atLeast(1), shift: integer, script: scriptOf },
    ({ window, shift, script }, at) => {
      if (window === undefined || script === undefined)
        throw parsing('[moving_fn] must have [window] and [script]', at);
      return { window, shift: shift ?? 0, script };
    },
  ),
  bucket_script: scripted('bucket_script'),
  bucket_selector: scripted('bucket_selector'),
  bucket_sort: bucketSort,
  avg_bucket: pipeline('avg_bucket', {}, nothing),
  sum_bucket: pipeline('sum_bucket', {}, nothing),
  min_bucket: pipeline('min_bucket', {}, nothing),
  max_bucket: pipeline('max_bucket', {}, nothing),
  stats_bucket: pipeline('stats_bucket', {}, nothing),
  extended_stats_bucket: pipeline('extended_stats_bucket', { sigma: number }, ({ sigma }) => ({ sigma: sigma ?? 2 })),
  percentiles_bucket: pipeline(
    'percentiles_bucket',
    { percents: listOf(number), keyed: flag },
    ({ percents, keyed }) => ({
      percents: percents ?? defaultPercents,
      keyed: keyed ?? true,
    }),
  ),
};

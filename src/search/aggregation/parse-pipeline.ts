import { illegalArgument, invalidPipelines, parsing, WrongKind } from '../failure.js';
import { parseSort } from '../hits/sort.js';
import { strict } from '../query/clause.js';
import { durationOf } from '../syntax/duration.js';
import type { Input } from '../syntax/input.js';
import { object, type Shape, type Shaped } from '../syntax/object.js';
import {
  anything,
  atLeast,
  flag,
  inNumbers,
  integer,
  kindOf,
  number,
  type Read,
  string,
  text,
} from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import { calendarMillis } from './interval.js';
import type { ParentPipeline, SiblingPipeline } from './pipeline-node.js';
import { formatText } from './value-source.js';

const gapPolicy: Read<string> = (input) => {
  const policy = string(input).toLowerCase();
  if (policy !== 'skip' && policy !== 'insert_zeros')
    throw parsing(`Invalid gap policy: [${policy}], accepted values: [insert_zeros, skip]`, input);
  return policy;
};
/** A path, or several in a list. */
const pathText: Read<Input> = (input) => {
  for (const item of input.items()) if (!item.isObject) string(item);
  return input;
};

const plainPath: Read<Input> = (input) => {
  if (input.isObject) throw new WrongKind('[buckets_path] must be a text', input, kindOf(input));
  return pathText(input);
};

const overPath = { buckets_path: pathText, gap_policy: gapPolicy, format: formatText } as const;

const nothing = () => ({});

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
    const byTable = kind === 'cumulative_sum' || kind === 'moving_fn';
    const options = byTable
      ? object(kind, { ...overPath, buckets_path: plainPath, ...shape })(at)
      : strict(kind, { ...overPath, ...shape })(at);
    if (byTable) requireKeys(at, kind === 'moving_fn' ? ['buckets_path', 'script', 'window'] : ['buckets_path']);
    return { kind, ...named(frame, at), ...pathOptions(options, at), ...more(options as Shaped<S>, at) } as
      | ParentPipeline
      | SiblingPipeline;
  };

/** The engines tell all keys at once that their tables lack. */
const requireKeys = (at: Input, keys: readonly string[]): void => {
  const missing = keys.filter((key) => at.get(key) === undefined);
  if (missing.length > 0) throw illegalArgument(`Required [${missing.join(', ')}]`, at);
};

const lagOf: Read<number> = (input) => {
  if (input.node.kind !== 'number') throw parsing(`Unknown key for a ${kindOf(input)} in [${input.key}]`, input);
  const lag = integer(input);
  if (lag <= 0) throw parsing(`Lag must be a positive, non-zero integer.  Value supplied was${lag}`, input);
  return lag;
};

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

const bucketSort: ParseAggregation = (at, frame) => {
  const options = object('bucket_sort', { sort: sortKeys, from: atLeast(0), size: atLeast(1), gap_policy: gapPolicy })(
    at,
  );
  if ((options.sort ?? []).length === 0 && options.size === undefined && options.from === undefined) {
    throw invalidPipelines(
      [`[${frame.name}] is configured to perform nothing. Please set either of [sort, size, from] to use bucket_sort`],
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

const percentList: Read<number[]> = (input) => {
  if (!input.isArray) throw new WrongKind('[percents] must be a list', input, kindOf(input));
  const percents = input.items().map(inNumbers);
  if (percents.some((percent) => percent < 0 || percent > 100))
    throw illegalArgument('percents must only contain non-null doubles from 0.0-100.0 inclusive', input);
  return percents;
};

const switched: Read<boolean> = (input) => {
  if (input.node.kind !== 'literal') throw new WrongKind('[keyed] must be true or false', input, kindOf(input));
  return flag(input);
};

const defaultPercents = [1, 5, 25, 50, 75, 95, 99];

/** Parsers of pipelines, by the name of their type. */
export const pipelineParsers: Readonly<Record<string, ParseAggregation>> = {
  derivative: pipeline('derivative', { unit: unitOf }, ({ unit }) => (unit === undefined ? {} : { unitMillis: unit })),
  cumulative_sum: pipeline('cumulative_sum', {}, nothing),
  serial_diff: pipeline('serial_diff', { lag: lagOf }, ({ lag }) => ({ lag: lag ?? 1 })),
  moving_fn: pipeline(
    'moving_fn',
    { window: atLeast(1), shift: integer, script: scriptOf },
    ({ window, shift, script }) => {
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
  extended_stats_bucket: pipeline('extended_stats_bucket', { sigma: number }, ({ sigma = 2 }, at) => {
    if (sigma < 0) throw illegalArgument('sigma must be a non-negative double', at);
    return { sigma };
  }),
  percentiles_bucket: pipeline(
    'percentiles_bucket',
    { percents: percentList, keyed: switched },
    ({ percents, keyed }) => ({
      percents: percents ?? defaultPercents,
      keyed: keyed ?? true,
    }),
  ),
};

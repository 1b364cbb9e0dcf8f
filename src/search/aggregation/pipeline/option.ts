import { strict } from '#search/query/clause.js';
import { illegalArgument, parsing, WrongKind } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { type KeyReaders, object, type Shaped } from '#search/syntax/object.js';
import { kindOf, type Read, string, text } from '#search/syntax/value.js';
import { aggregationBase, type Node, type ParseAggregation } from '../aggregation-node.js';
import { formatText } from '../option/value-source.js';

/** Common options of pipelines over one path. */
export interface PathOptions {
  readonly path: string;
  /** Whether a bucket without a value counts as zero. */
  readonly zeros: boolean;
  readonly format?: Input;
}

/** Parses the treatment of buckets without a value. */
export const gapPolicy: Read<string> = (input) => {
  const policy = string(input).toLowerCase();
  if (policy !== 'skip' && policy !== 'insert_zeros')
    throw parsing(`Invalid gap policy: [${policy}], accepted values: [insert_zeros, skip]`, input);
  return policy;
};

/** Parses a path, or a list of paths. */
const pathText: Read<Input> = (input) => {
  for (const item of input.items()) if (!item.isObject) string(item);
  return input;
};

const pathOrList: Read<Input> = (input) => {
  if (input.isObject) throw new WrongKind('[buckets_path] must be a text', input, kindOf(input));
  return pathText(input);
};

/** Options of every pipeline over values of buckets. */
export const overPath = { buckets_path: pathText, gap_policy: gapPolicy, format: formatText } as const;

const pathOf = (input: Input | undefined, at: Input): string => {
  const [path, second] = input?.items() ?? [];
  if (path === undefined || path.isObject) throw parsing('Required [buckets_path] is missing', at);
  if (second !== undefined) throw illegalArgument('buckets_path must contain a single entry', at);
  return text(path);
};

const pathOptions = (options: Shaped<typeof overPath>, at: Input): PathOptions => ({
  path: pathOf(options.buckets_path, at),
  zeros: options.gap_policy === 'insert_zeros',
  ...(options.format && { format: options.format }),
});

/** The engines' way to parse the options of a pipeline, which determines their error messages. */
type ReadKeys = <S extends KeyReaders>(kind: string, shape: S, at: Input) => Shaped<S>;

const byHand: ReadKeys = (kind, shape, at) => strict(kind, shape)(at);

/** Parses from a table of options. One error names all missing required options. */
export const byTable =
  (...required: readonly string[]): ReadKeys =>
  <S extends KeyReaders>(kind: string, shape: S, at: Input): Shaped<S> => {
    const options = object(kind, { ...shape, buckets_path: pathOrList })(at);
    const missing = required.filter((key) => at.get(key) === undefined);
    if (missing.length > 0) throw illegalArgument(`Required [${missing.join(', ')}]`, at);
    return options as Shaped<S>;
  };

/**
 * Creates the parser of a pipeline over one path.
 * @param shape its own options
 * @param more converts those
 */
export const pathPipeline =
  <K extends string, S extends KeyReaders, M extends object>(
    kind: K,
    shape: S,
    more: (options: Shaped<S>, at: Input) => M,
    read: ReadKeys = byHand,
  ): ParseAggregation<Node<K> & PathOptions & M> =>
  (at, frame) => {
    const options: Shaped<typeof overPath & S> = read(kind, { ...overPath, ...shape }, at);
    return { kind, ...aggregationBase(frame, at), ...pathOptions(options, at), ...more(options, at) };
  };

/** For pipelines without options of their own. */
export const nothingMore = () => ({});

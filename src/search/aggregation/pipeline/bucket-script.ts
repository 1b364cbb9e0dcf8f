import { chain } from '#search/pace.js';
import { parsing } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { object } from '#search/syntax/object.js';
import { anything, type Read, text } from '#search/syntax/value.js';
import type { Answer } from '../aggregation-answer.js';
import { aggregationBase, type Node, type ParseAggregation } from '../aggregation-node.js';
import { withText } from '../format.js';
import { type Across, finite, type Limits, printFor, putAnswer } from './across.js';
import { overPath } from './option.js';
import { valueAt } from './path.js';
import { compileScript } from './script.js';

/** Common options of pipelines that compute an expression. */
interface ScriptOptions {
  /** Path of each variable. */
  readonly paths: Readonly<Record<string, string>>;
  readonly script: string;
  /** Whether a bucket without a value counts as zero. */
  readonly zeros: boolean;
  readonly format?: Input;
}

/** Parses the text of a script. */
export const scriptText: Read<string> = (at) => {
  if (!at.isObject) return text(at);
  const { source, inline } = object('script', { source: text, inline: text, lang: text, params: anything })(at);
  return source ?? inline ?? '';
};

/** Parses the body of a pipeline that computes an expression. */
const scriptOptions = (kind: string, at: Input): ScriptOptions => {
  const options = object(kind, { ...overPath, script: scriptText })(at);
  const given = options.buckets_path;
  if (given === undefined || options.script === undefined)
    throw parsing(`[${kind}] must have [buckets_path] and [script]`, at);
  const paths = given.isObject
    ? given.members().map(({ key, input }) => [key, text(input)] as const)
    : given.items().map((path, index) => [`_value${given.isArray ? index : ''}`, text(path)] as const);
  return {
    paths: Object.fromEntries(paths),
    script: options.script,
    zeros: options.gap_policy === 'insert_zeros',
    ...(options.format && { format: options.format }),
  };
};

/** Returns the variables of a script in one bucket; NaN for those without a value. */
const variablesOf = ({ paths, zeros }: ScriptOptions, bucket: Answer): Record<string, number> =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, valueAt(bucket, path, zeros)]));

/** A number computed from values of the same bucket. */
export interface BucketScript extends Node<'bucket_script'>, ScriptOptions {}

export const bucketScript: ParseAggregation<BucketScript> = (at, frame) => ({
  kind: 'bucket_script',
  ...aggregationBase(frame, at),
  ...scriptOptions('bucket_script', at),
});

export const bucketScriptOf = (pipeline: BucketScript, { pace }: Limits): Across => {
  const evaluate = compileScript(pipeline.script, pipeline.at);
  const print = printFor(pipeline);
  return (buckets) =>
    pace.map(buckets, (bucket) => {
      const variables = variablesOf(pipeline, bucket);
      if (Object.values(variables).some(Number.isNaN)) return bucket;
      const result = Number(evaluate(variables));
      return putAnswer(bucket, pipeline.name, withText(finite(result), print));
    });
};

/** Keeps the buckets for which an expression is true. */
export interface BucketSelector extends Node<'bucket_selector'>, ScriptOptions {}

export const bucketSelector: ParseAggregation<BucketSelector> = (at, frame) => ({
  kind: 'bucket_selector',
  ...aggregationBase(frame, at),
  ...scriptOptions('bucket_selector', at),
});

export const bucketSelectorOf = (pipeline: BucketSelector, { pace }: Limits): Across => {
  const evaluate = compileScript(pipeline.script, pipeline.at);
  return (buckets) =>
    chain(
      pace.map(buckets, (bucket) => (evaluate(variablesOf(pipeline, bucket)) ? [bucket] : [])),
      (selected) => selected.flat(),
    );
};

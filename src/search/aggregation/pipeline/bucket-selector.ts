import { chain } from '../../pace.js';
import { named, type ParseAggregation } from '../frame.js';
import type { Node } from '../node.js';
import type { Across, Limits } from './across.js';
import { compileScript } from './script.js';
import { type ScriptOptions, scriptOptions, variablesOf } from './script-option.js';

/** Keeps the buckets for which an expression is true. */
export interface BucketSelector extends Node<'bucket_selector'>, ScriptOptions {}

export const bucketSelector: ParseAggregation<BucketSelector> = (at, frame) => ({
  kind: 'bucket_selector',
  ...named(frame, at),
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

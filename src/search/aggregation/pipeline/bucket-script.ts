import { withText } from '../format.js';
import { named, type ParseAggregation } from '../frame.js';
import type { Node } from '../node.js';
import { type Across, finite, type Limits, printFor, put } from './across.js';
import { compileScript } from './script.js';
import { type ScriptOptions, scriptOptions, variablesOf } from './script-option.js';

/** A number computed from values of the same bucket. */
export interface BucketScript extends Node<'bucket_script'>, ScriptOptions {}

export const bucketScript: ParseAggregation<BucketScript> = (at, frame) => ({
  kind: 'bucket_script',
  ...named(frame, at),
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
      return put(bucket, pipeline.name, withText(finite(result), print));
    });
};

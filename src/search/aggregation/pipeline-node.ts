import type { Input } from '../syntax/input.js';
import type { Node } from './node.js';

/** What pipelines over one path have in common. */
interface PathOptions {
  readonly path: string;
  /** Whether a bucket without a value counts as zero. */
  readonly zeros: boolean;
  readonly format?: Input;
}

/** A node of each of several kinds, alike in all else. */
type Each<K extends string, More> = K extends string ? Node<K> & More : never;

/** What pipelines that compute an expression have in common. */
interface ScriptOptions {
  readonly paths: Readonly<Record<string, string>>;
  readonly script: string;
  readonly zeros: boolean;
  readonly format?: Input;
}

/** Pipelines over the buckets they stand in, in their order. */
export type ParentPipeline =
  | (Node<'derivative'> & PathOptions & { readonly unitMillis?: number })
  | (Node<'cumulative_sum'> & PathOptions)
  | (Node<'serial_diff'> & PathOptions & { readonly lag: number })
  | (Node<'moving_fn'> & PathOptions & { readonly window: number; readonly shift: number; readonly script: string })
  | Each<'bucket_script' | 'bucket_selector', ScriptOptions>
  | (Node<'bucket_sort'> & {
      readonly sort: readonly { readonly path: string; readonly descending: boolean }[];
      readonly from: number;
      readonly size?: number;
      readonly zeros: boolean;
    });

/** Pipelines beside the buckets that they are over. */
export type SiblingPipeline =
  | Each<'avg_bucket' | 'sum_bucket' | 'min_bucket' | 'max_bucket' | 'stats_bucket', PathOptions>
  | (Node<'extended_stats_bucket'> & PathOptions & { readonly sigma: number })
  | (Node<'percentiles_bucket'> & PathOptions & { readonly percents: readonly number[]; readonly keyed: boolean });

/** Aggregations over what others answered. */
export type PipelineAggregation = ParentPipeline | SiblingPipeline;

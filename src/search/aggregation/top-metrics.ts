import { illegalArgument, parsing } from '../failure.js';
import { parseSort, type SortKey } from '../hits/sort.js';
import { object } from '../syntax/object.js';
import { atLeast, ignored, listOf, text } from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { Node } from './node.js';

/** Values of the records that come first in an order. */
export interface TopMetricsMetric extends Node<'top_metrics'> {
  readonly fields: readonly string[];
  readonly size: number;
  readonly sort: readonly SortKey[];
}

export const topMetrics: ParseAggregation<TopMetricsMetric> = (at, frame) => {
  const metric = object('metrics', { field: text, missing: ignored });
  const options = object('top_metrics', { metrics: listOf(metric), size: atLeast(1), sort: parseSort })(at);
  const fields = (options.metrics ?? []).flatMap(({ field }) => field ?? []);
  if (fields.length === 0) throw illegalArgument('[metrics] must name at least one field', at);
  if (options.sort?.length !== 1) throw parsing('[top_metrics] must sort by just one key', at);
  if ((options.size ?? 1) > 10) throw illegalArgument('[top_metrics.size] must not be more than [10]', at);
  return { kind: 'top_metrics', ...named(frame, at), fields, size: options.size ?? 1, sort: options.sort };
};

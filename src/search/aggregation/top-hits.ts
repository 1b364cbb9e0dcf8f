import { parseSort, type SortKey } from '../hits/sort.js';
import { parseSourceFilter, type SourceFilter } from '../hits/source-filter.js';
import { strict } from '../query/clause.js';
import { illegalArgument, parsing } from '../search-failure.js';
import { object } from '../syntax/object.js';
import { atLeast, byHand, ignored, listOf, type Read, text } from '../syntax/value.js';
import { aggregationBase, type Node, type ParseAggregation } from './aggregation-node.js';

/** The first few records of each bucket. */
export interface TopHitsMetric extends Node<'top_hits'> {
  readonly from: number;
  readonly size: number;
  readonly sort: readonly SortKey[];
  readonly source: SourceFilter;
}

const maxTopHits = 100;

/** Wraps a reader so that it refuses `null`. */
const given =
  <T>(read: Read<T>): Read<T> =>
  (input) => {
    if (input.isNull) throw parsing(`Unknown key for a VALUE_NULL in [${input.key}].`, input);
    return read(input);
  };

export const topHits: ParseAggregation<TopHitsMetric> = (at, frame) => {
  const options = strict('top_hits', {
    from: given(byHand(atLeast(0))),
    size: given(byHand(atLeast(0))),
    sort: given(parseSort),
    _source: parseSourceFilter,
    version: ignored,
    seq_no_primary_term: ignored,
    explain: ignored,
    highlight: ignored,
    track_scores: ignored,
    stored_fields: ignored,
    docvalue_fields: ignored,
    fields: ignored,
    script_fields: ignored,
  })(at);
  const [from, size] = [options.from ?? 0, options.size ?? 3];
  if (from + size === 0)
    throw illegalArgument(
      'numHits must be > 0; please use TotalHitCountCollector if you just need the total hit count',
      at,
    );
  if (from + size > maxTopHits) {
    throw illegalArgument(
      `Top hits result window is too large, the top hits aggregator [${frame.name}]'s from + size must be less than or equal to: [${maxTopHits}] but was [${from + size}].`,
      at,
    );
  }
  return {
    kind: 'top_hits',
    ...aggregationBase(frame, at),
    from,
    size,
    sort: options.sort ?? [],
    source: options._source ?? { includes: [], excludes: [] },
  };
};

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
  return { kind: 'top_metrics', ...aggregationBase(frame, at), fields, size: options.size ?? 1, sort: options.sort };
};

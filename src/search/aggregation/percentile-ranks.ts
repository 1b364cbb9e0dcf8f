import { object } from '../syntax/object.js';
import { flag } from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { PercentilesMetric } from './option/percent.js';
import { ascending, digests, notBuilt, numbers, requireOneDigest } from './option/percent.js';
import { fieldOptions, valueSource } from './option/value-source.js';

export const percentileRanks: ParseAggregation<PercentilesMetric> = (at, frame) => {
  const options = object('percentile_ranks', {
    ...valueSource,
    values: numbers,
    keyed: flag,
    ...digests,
  })(at);
  requireOneDigest(at);
  const points = options.values ?? [];
  if (points.length === 0)
    throw notBuilt('percentile_ranks', `[values] must not be an empty array: [${frame.name}]`, at);
  return {
    kind: 'percentile_ranks',
    ...named(frame, at),
    ...fieldOptions(options, at),
    points: ascending(points),
    keyed: options.keyed ?? true,
    finer: options.tdigest ?? options.hdr ?? false,
  };
};

import { illegalArgument } from '../failure.js';
import { object } from '../syntax/object.js';
import { flag } from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { PercentilesMetric } from './option/percent.js';
import { ascending, defaultPercents, digests, notBuilt, numbers, requireOneDigest } from './option/percent.js';
import { fieldOptions, valueSource } from './option/value-source.js';

export const percentiles: ParseAggregation<PercentilesMetric> = (at, frame) => {
  const options = object('percentiles', {
    ...valueSource,
    percents: numbers,
    keyed: flag,
    ...digests,
  })(at);
  requireOneDigest(at);
  const points = options.percents ?? defaultPercents;
  if (points.length === 0) throw notBuilt('percentiles', `[percents] must not be empty: [${frame.name}]`, at);
  const wrong = points.find((percent) => percent < 0 || percent > 100);
  if (wrong !== undefined) throw illegalArgument(`percent must be in [0,100], got [${wrong}]: [${frame.name}]`, at);
  return {
    kind: 'percentiles',
    ...named(frame, at),
    ...fieldOptions(options, at),
    points: ascending(points),
    keyed: options.keyed ?? true,
    finer: options.tdigest ?? options.hdr ?? false,
  };
};

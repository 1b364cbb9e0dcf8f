import type { SimpleMetric } from '#search/aggregation/metrics.js';
import { pointOf } from '#search/syntax/geo-point.js';
import { scalarText } from '#search/syntax/value.js';
import { type DeviceNow, locationOf, textsOf } from '../device-value.js';
import { type EngineAggregationContext, noNumber, type Planned } from './bucket/aggregation-context.js';
import { byValue, oneValue } from './metrics.js';
import { deviceCounts } from './value/device-count.js';
import { sourceOf } from './value/metric-source.js';

/** Number of distinct values up to which counts are nearly exact; the engine's maximum. */
const threshold = 40_000;

/** Plans the number of distinct values, which the engine estimates. */
export const cardinality = (metric: SimpleMetric, context: EngineAggregationContext): Planned => {
  const { field: path, at, missing } = metric;
  const field = context.field(path, at);
  if (field?.ofDevice) {
    const instead =
      missing && (field.kind === 'geo_point' ? pointOf(scalarText(missing) ?? '', missing) : scalarText(missing));
    const counts = deviceCounts(context);
    const each = (device: DeviceNow): readonly unknown[] => {
      const own = field.kind === 'geo_point' ? [locationOf(device) ?? []].flat() : textsOf(field, device);
      return own.length > 0 || instead === undefined ? own : [instead];
    };
    return {
      asked: counts.asked,
      read: (bucket) => ({
        value: new Set(counts.of(bucket).flatMap(({ device }) => each(device).map((one) => JSON.stringify(one)))).size,
      }),
    };
  }
  if (field?.path === '_id') {
    const count = context.count();
    return { asked: {}, read: (bucket) => ({ value: count(bucket) }) };
  }
  const source = sourceOf('keyword', metric, at, context);
  if (source === undefined) return { asked: {}, read: () => ({ value: 0 }), sortable: noNumber };
  const question = context.ask(
    'cardinality',
    { ...source.body, precision_threshold: threshold },
    { field: source.field },
  );
  const value = oneValue(question);
  return { asked: question.asked, read: (bucket) => ({ value: value(bucket) ?? 0 }), sortable: byValue(question, 0) };
};

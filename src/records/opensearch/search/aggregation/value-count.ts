import { requireFormattable } from '../../../../search/aggregation/format.js';
import type { SimpleMetric } from '../../../../search/aggregation/option/simple-metric.js';
import { placeOf, textsOf } from '../device-value.js';
import type { Bucket } from './bucket/bucket.js';
import { type Asked, noNumber, type Planned, type Stage } from './bucket/stage.js';
import { deviceCounts } from './value/device-count.js';
import { byValue, oneValue } from './value/metric.js';
import { sourceOf } from './value/source.js';

/** Plans the number of values, of any type. */
export const valueCount = (metric: SimpleMetric, stage: Stage): Planned => {
  const { field: path, missing, format, at } = metric;
  const field = stage.field(path, at);
  requireFormattable(field, format);
  if (field === undefined && missing === undefined)
    return { asked: {}, read: () => ({ value: 0 }), sortable: noNumber };
  if (field?.ofDevice) {
    const counts = deviceCounts(stage);
    const none = missing === undefined ? 0 : 1;
    const each = (device: Parameters<typeof placeOf>[0]) =>
      (field.kind === 'geo_point' ? Number(placeOf(device) !== undefined) : textsOf(field, device).length) || none;
    return counted(counts.asked, (bucket) =>
      counts.of(bucket).reduce((sum, { device, count }) => sum + count * each(device), 0),
    );
  }
  // Every record has a value or the default.
  if (field === undefined || field.path === '_id') return counted({}, stage.count());
  const source = sourceOf('keyword', metric, at, stage)!;
  const question = stage.ask('value_count', source.body, { field });
  const value = oneValue(question);
  return { ...counted(question.asked, (bucket) => value(bucket) ?? 0), sortable: byValue(question, 0) };
};

/** A number counted on this side, by which the engine cannot order buckets. */
const counted = (asked: Asked, count: (bucket: Bucket) => number): Planned => ({
  asked,
  read: (bucket) => ({ value: count(bucket) }),
});

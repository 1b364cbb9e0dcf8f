import type { EngineBucket } from '#records/opensearch/engine.js';
import type { DeviceNow } from '#records/opensearch/search/device-value.js';
import type { AskedAggregations, EngineAggregationContext } from '../bucket/aggregation-context.js';
import type { Bucket } from '../bucket/bucket.js';

/** Maximum number of devices in an answer; equals that of buckets. */
const maxDevices = 65_535;

/** Counts of records by device in a bucket. */
export interface DeviceCounts {
  readonly asked: AskedAggregations;
  of(bucket: Bucket): { readonly device: DeviceNow; readonly count: number }[];
}

/**
 * Plans the count of records by device. This process then computes the values of devices, which the engine does not
 * know.
 */
export const deviceCounts = (context: EngineAggregationContext): DeviceCounts => {
  const { deviceValues } = context.planning;
  const question = context.ask('terms', { field: 'dn', size: maxDevices, shard_size: maxDevices });
  return {
    asked: question.asked,
    of: (bucket) => {
      const found = (question.answerIn(bucket)?.['buckets'] ?? []) as readonly EngineBucket[];
      return found.flatMap(({ key, doc_count: count = 0 }) => {
        const device = deviceValues.of(Number(key));
        return device === undefined ? [] : [{ device, count }];
      });
    },
  };
};

import type { EngineBucket } from '../../../engine.js';
import type { DeviceNow } from '../../device-value.js';
import type { Bucket } from '../bucket/bucket.js';
import type { Asked, Stage } from '../bucket/stage.js';

/** Devices of one answer at most, as many as buckets. */
const maxDevices = 65_535;

/** How many records each device has in a bucket. */
export interface DeviceCounts {
  readonly asked: Asked;
  of(bucket: Bucket): { readonly device: DeviceNow; readonly count: number }[];
}

/** Asks how many records each device has: what the engine does not know of devices is then computed here. */
export const deviceCounts = (stage: Stage): DeviceCounts => {
  const { deviceValues } = stage.planning;
  const question = stage.ask('terms', { field: 'dn', size: maxDevices, shard_size: maxDevices });
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

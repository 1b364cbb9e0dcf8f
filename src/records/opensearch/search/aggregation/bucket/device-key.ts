import type { EngineBucket } from '#records/opensearch/engine.js';
import { devicesIn } from '#records/opensearch/search/device-question.js';
import type { DeviceNow } from '#records/opensearch/search/device-value.js';
import type { BucketAggregation } from '#search/aggregation/aggregation.js';
import { illegalArgument } from '#search/search-failure.js';
import { conditionBuckets } from '../filters.js';
import type { AskedAggregations, Children, EngineAggregationContext } from './aggregation-context.js';
import { type Bucket, countOf, inside } from './bucket.js';

/**
 * Maximum number of keys shared by several devices that the engine is asked for: it tests each of them on every record.
 */
const maxShared = 1024;

/** Maximum number of devices in an answer. */
const maxDevices = 65_535;

/** A bucket of records by a current value of their device. */
export interface DeviceBucket {
  readonly key: string;
  readonly count: number;
  readonly bucket: Bucket;
}

/** Buckets of records by the current values of their devices. */
export interface DeviceBuckets {
  readonly asked: AskedAggregations;
  readonly children: Children;
  visit(around: Bucket): void;
  /** Returns the non-empty buckets inside another. */
  found(around: Bucket): DeviceBucket[];
  /** All keys, including those without records. */
  readonly keys: readonly string[];
}

/** Plans buckets by keys of devices. The engine knows devices only by their numbers. */
export const deviceBuckets = (
  aggregation: BucketAggregation,
  keysOf: (device: DeviceNow) => readonly string[],
  context: EngineAggregationContext,
): DeviceBuckets => {
  const groups = new Map<string, number[]>();
  let isOneToOne = true;
  for (const device of context.planning.deviceValues.all) {
    const keys = keysOf(device);
    if (keys.length > 1) isOneToOne = false;
    for (const key of keys) {
      const known = groups.get(key);
      if (known === undefined) groups.set(key, [device.number]);
      else {
        known.push(device.number);
        isOneToOne = false;
      }
    }
  }
  const children = context.planAll(aggregation);
  const keys = [...groups.keys()];
  const shared = { children, keys };
  if (isOneToOne && keys.length > 16) return { ...shared, ...byNumber(children, groups, context) };
  if (keys.length > maxShared)
    throw illegalArgument(
      `[${aggregation.kind}] over what devices have now makes buckets of at most [${maxShared}] values that devices share, where records are on a cluster, but there are [${keys.length}]`,
      aggregation.at,
    );
  const parts = keys.map((key) => devicesIn(groups.get(key)!));
  const { asked, visit, found } = conditionBuckets(parts, children, context, () => ({}));
  return {
    ...shared,
    asked: keys.length === 0 ? {} : asked,
    visit,
    found: (around) => {
      const bucketOf = found(around);
      return keys.flatMap((key, index) => {
        const bucket = bucketOf(index);
        return countOf(bucket) === 0 ? [] : [{ key, count: countOf(bucket), bucket }];
      });
    },
  };
};

/** Plans buckets by device number, for keys that each belong to one device. */
const byNumber = (
  children: Children,
  groups: ReadonlyMap<string, readonly number[]>,
  context: EngineAggregationContext,
) => {
  const keyOf = new Map([...groups].map(([key, [number]]) => [number, key]));
  const question = context.ask('terms', { field: 'dn', size: maxDevices, shard_size: maxDevices }, { children });
  const found = (around: Bucket): DeviceBucket[] => {
    const buckets = (question.answerIn(around)?.['buckets'] ?? []) as readonly EngineBucket[];
    return buckets.flatMap((one) => {
      const key = keyOf.get(Number(one.key));
      return key === undefined ? [] : [{ key, count: one.doc_count ?? 0, bucket: inside(one, around) }];
    });
  };
  const visit = (around: Bucket) => {
    for (const { bucket } of found(around)) children.visit(bucket);
  };
  return { asked: question.asked, found, visit };
};

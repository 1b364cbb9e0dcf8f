import type { CalendarInterval, DeviceCombination, DeviceReduction } from '#entities/group-series.js';

/** A stored value of a device, in Unix seconds. Values of one time are in the order of storing. */
export interface Value {
  readonly ts: number;
  readonly v: number;
}

/** A counter's behaviour, and the times at which the meter was exchanged. */
export interface Counter {
  readonly jitter?: number | undefined;
  readonly rollsOverAt?: number | undefined;
  /** Exchanges of a device in order of time: the first value of the new meter. */
  readonly exchanges?: readonly Value[] | undefined;
}

export interface FoldedDevice {
  readonly values: readonly Value[];
  readonly counter?: Counter | undefined;
  /** Whether the device belongs to the group at a time; by default always. */
  readonly isThere?: ((ts: number) => boolean) | undefined;
}

export interface FoldCall {
  readonly from: number;
  readonly to: number;
  readonly now: number;
  /** Returns the key of a time's bucket: times with the same key are in one bucket. */
  readonly bucketOf: (ts: number) => string;
  readonly perDevice: `${DeviceReduction}`;
  readonly combine: `${DeviceCombination}`;
  readonly maxAge: number;
  readonly minDevices: number;
}

export interface FoldedPoint {
  value: number;
  devices: number;
  bridged: number;
  lowest: number;
  highest: number;
}

/** Answers a group series by a plain fold over values: the definition that stores have to meet. */
export const foldGroup = (devices: readonly FoldedDevice[], call: FoldCall): Map<string, FoldedPoint> => {
  const numbers = new Map<string, { v: number }[]>();
  for (const device of devices) {
    for (const [key, v] of numbersOf(device, call)) numbers.set(key, [...(numbers.get(key) ?? []), { v }]);
  }
  const points = new Map<string, FoldedPoint>();
  for (const [key, found] of numbers) {
    if (found.length < call.minDevices) continue;
    const all = found.map(({ v }) => v).sort((a, b) => a - b);
    const sum = all.reduce((total, v) => total + v, 0);
    const combined = {
      sum,
      avg: sum / all.length,
      min: all[0]!,
      max: all.at(-1)!,
      count: all.length,
      p50: quantile(all, 0.5),
      p95: quantile(all, 0.95),
      spread: sum / all.length,
    };
    const value = combined[call.combine];
    points.set(key, { value, devices: all.length, bridged: 0, lowest: all[0]!, highest: all.at(-1)! });
  }
  return points;
};

const quantile = (sorted: readonly number[], q: number): number => {
  const place = q * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return low + (high - low) * (place - Math.floor(place));
};

const always = (): boolean => true;

const numbersOf = (device: FoldedDevice, call: FoldCall): Map<string, number> => {
  const { isThere = always } = device;
  const { from, to, perDevice } = call;
  if (perDevice === 'increase') return increases(device, call);
  if (perDevice === 'timeInState') return seconds(device, call);
  const inRange = device.values.filter(({ ts }) => ts >= from && ts < to && isThere(ts));
  const buckets = Map.groupBy(inRange, ({ ts }) => call.bucketOf(ts));
  return new Map(
    [...buckets].map(([key, values]) => {
      const all = values.map(({ v }) => v);
      const sum = all.reduce((total, v) => total + v, 0);
      const reduced = {
        avg: sum / all.length,
        min: Math.min(...all),
        max: Math.max(...all),
        last: all.at(-1)!,
        sum,
        count: all.length,
      };
      return [key, reduced[perDevice as keyof typeof reduced]];
    }),
  );
};

/** Adds up what a counter gains, by the bucket of the value that shows it. */
const increases = (
  { values, counter = {}, isThere = always }: FoldedDevice,
  { from, to, bucketOf }: FoldCall,
): Map<string, number> => {
  const { jitter = 0, rollsOverAt, exchanges = [] } = counter;
  const events = [
    ...exchanges.map((event) => ({ ...event, isExchange: true })),
    ...values.map((event) => ({ ...event, isExchange: false })),
  ].sort((a, b) => a.ts - b.ts || Number(b.isExchange) - Number(a.isExchange));
  const found = new Map<string, number>();
  let high = events.findLast(({ ts }) => ts < from)?.v;
  for (const { ts, v, isExchange } of events) {
    if (ts < from || ts >= to) continue;
    if (isExchange) {
      high = v;
      continue;
    }
    let step = 0;
    if (high === undefined || v >= high) {
      step = v - (high ?? v);
      high = v;
    } else if (high - v > jitter) {
      const over: number = rollsOverAt === undefined ? Number.POSITIVE_INFINITY : rollsOverAt - high + v;
      step = rollsOverAt !== undefined && high <= rollsOverAt && over < high - v ? over : v;
      high = v;
    }
    if (!isThere(ts)) continue;
    const key = bucketOf(ts);
    found.set(key, (found.get(key) ?? 0) + step);
  }
  return found;
};

/** Adds up seconds with the value 1, second by second of whole seconds: tests use whole seconds. */
const seconds = (
  { values, isThere = always }: FoldedDevice,
  { from, to, now, maxAge, bucketOf }: FoldCall,
): Map<string, number> => {
  const found = new Map<string, number>();
  values.forEach(({ ts, v }, index) => {
    const next = values[index + 1]?.ts ?? Number.POSITIVE_INFINITY;
    const end = Math.min(next, ts + maxAge, to, now);
    for (let at = Math.max(ts, from); at < end; at += step) {
      if (!isThere(at)) continue;
      const key = bucketOf(at);
      found.set(key, (found.get(key) ?? 0) + v * Math.min(step, end - at));
    }
  });
  return found;
};

/** Seconds that are counted at once. Times of states in tests are multiples. */
const step = 60;

/** Returns the function that tells the calendar unit of a time in a zone, by the platform's calendar. */
export const calendarKey = (unit: `${CalendarInterval}`, timeZone: string): ((ts: number) => string) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    ...(unit !== 'year' && { month: '2-digit' }),
    ...(unit !== 'year' && unit !== 'month' && { day: '2-digit' }),
    ...(unit === 'hour' && { hour: '2-digit', hour12: false, timeZoneName: 'longOffset' }),
  });
  return (ts) => format.format(ts * 1000);
};

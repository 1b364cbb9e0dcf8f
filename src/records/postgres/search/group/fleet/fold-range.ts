import { DeviceReduction } from '#entities/group-series.js';
import type { GroupPlan } from '#records/answer/group-plan.js';
import type { FleetPart } from '#records/blocks/fleet-sum.js';
import type { GroupCall } from '#records/group-series.js';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import type { LinePoints } from './combine.js';
import { type Counter, DeviceFold, isOfSteps } from './fold.js';
import { loadChunk, type TileChunk, type TileSegment } from './load.js';
import type { Units } from './unit.js';
import type { Reached, Values } from './values.js';

/** Pieces of values, and where they go. */
export interface FoldInput {
  readonly call: GroupCall;
  readonly plan: GroupPlan;
  readonly units: Units;
  /** Settings of the counters of {@link Units.products}. */
  readonly counters: readonly Counter[];
  readonly chunks: readonly TileChunk[];
  readonly parts: readonly FleetPart[];
  readonly others: Values;
  readonly points: readonly LinePoints[];
  /** Reads where the counters of devices stood before the range. */
  latest(numbers: readonly number[]): Promise<Reached[]>;
}

/** Folds tiles and values in order of time, a chunk of tiles at a time, and makes the points of lines. */
export const foldRange = async (reader: QueryReader, input: FoldInput): Promise<void> => {
  const { chunks, parts } = input;
  const range = new RangeFold(input);
  let next = chunks[0] && loadChunk(reader, chunks[0], parts);
  for (const [index] of chunks.entries()) {
    const segments = await next!;
    const following = chunks[index + 1];
    // PostgreSQL reads the next chunk meanwhile.
    next = following && loadChunk(reader, following, parts);
    next?.catch(() => undefined);
    await range.addChunk(segments, () => reader.pace.begin());
  }
  await range.addChunk([], () => reader.pace.begin());
  range.finish();
};

class RangeFold {
  private readonly fold: DeviceFold;
  private readonly withSteps: boolean;
  /** Whether the last value before the range was searched for, by device. */
  private readonly isSought: Uint8Array;
  /** The current bucket; -1 before the range. */
  private bucket = -1;
  /** Index of the next value. */
  private next = 0;
  private known: { devices: Int32Array; units: Int32Array } | undefined;

  constructor(private readonly input: FoldInput) {
    const { units, counters, call } = input;
    this.withSteps = isOfSteps(call.perDevice);
    this.fold = new DeviceFold(call.perDevice, units.products, counters);
    this.isSought = new Uint8Array(units.numbers.length);
  }

  /** Adds the segments of a chunk, and the values before each of them. @param pace waits for a time slice if necessary */
  async addChunk(segments: readonly TileSegment[], pace: () => Promise<void>): Promise<void> {
    const { plan } = this.input;
    const lead = segments.filter(({ start }) => start < plan.since);
    const rest = segments.slice(lead.length);
    for (const segment of lead) this.fold.addLead(segment, this.unitsOf(segment));
    if (this.withSteps) await this.findLatest(rest);
    for (const segment of rest) {
      await pace();
      this.addValues(segment.start);
      this.enter(segment.start);
      this.fold.addSegment(segment, this.unitsOf(segment));
    }
    if (segments.length === 0) this.addValues(Number.POSITIVE_INFINITY);
  }

  /** Completes the last bucket. */
  finish(): void {
    if (this.bucket >= 0) this.combine();
  }

  /** Adds the values before a time. */
  private addValues(until: number): void {
    const { others, plan } = this.input;
    const { devices, times, values, isExchange } = others;
    for (; this.next < others.length && times[this.next]! < until; this.next++) {
      const [ts, v] = [times[this.next]!, values[this.next]!];
      const unit = placeOf(this.input.units.numbers, devices[this.next]!);
      if (isExchange[this.next] === 1 || ts < plan.since) {
        if (this.withSteps) this.fold.reach(unit, v, ts);
        continue;
      }
      this.enter(ts);
      this.fold.addValue(unit, v, ts);
    }
  }

  /** Moves to the bucket of a time. */
  private enter(ts: number): void {
    const { starts, before } = this.input.plan;
    if (this.bucket >= 0 && !(ts >= (starts[this.bucket + 1] ?? Number.POSITIVE_INFINITY))) return;
    if (this.bucket >= 0) this.combine();
    else this.bucket = 0;
    while (ts >= (starts[this.bucket + 1] ?? Number.POSITIVE_INFINITY)) this.bucket++;
    this.fold.begin(starts[this.bucket - 1] ?? before);
  }

  private combine(): void {
    const { call, plan, points } = this.input;
    const { starts, since, to } = plan;
    const length = Math.min(starts[this.bucket + 1] ?? to, to) - Math.max(starts[this.bucket]!, since);
    for (const line of points)
      line.add(this.bucket, this.fold, call.perDevice === DeviceReduction.rate ? length : 1, call);
  }

  /** Returns the unit of each device of a segment's tile; -1 for those whose values are read otherwise. */
  private unitsOf({ devices }: TileSegment): Int32Array {
    const { known, input } = this;
    if (known !== undefined && isSame(known.devices, devices)) return known.units;
    const { numbers, isTiled } = input.units;
    const units = new Int32Array(devices.length).fill(-1);
    let unit = 0;
    for (let place = 0; place < devices.length; place++) {
      const device = devices[place]!;
      while (unit < numbers.length && numbers[unit]! < device) unit++;
      if (numbers[unit] === device && isTiled[unit] === 1) units[place] = unit;
    }
    this.known = { devices, units };
    return units;
  }

  /** Finds where counters stood before the range that the next pieces continue. */
  private async findLatest(segments: readonly TileSegment[]): Promise<void> {
    const { plan, others, units, latest } = this.input;
    const { reached } = this.fold;
    const wanted = new Set<number>();
    const want = (unit: number) => {
      if (Number.isNaN(reached[unit]!) && this.isSought[unit] === 0) wanted.add(unit);
    };
    // All of the values in the first chunk, in which those before the range come first.
    this.addValues(plan.since);
    for (let index = this.next; index < others.length; index++) want(placeOf(units.numbers, others.devices[index]!));
    let of: Int32Array | undefined;
    for (const segment of segments) {
      if (segment.devices === of) continue;
      of = segment.devices;
      const found = this.unitsOf(segment);
      for (let place = 0; place < found.length; place++) if (found[place]! >= 0) want(found[place]!);
    }
    if (wanted.size === 0) return;
    for (const unit of wanted) this.isSought[unit] = 1;
    for (const [device, ts, v] of await latest([...wanted].map((unit) => units.numbers[unit]!)))
      this.fold.reach(placeOf(units.numbers, device), v, ts);
  }
}

const isSame = (one: Int32Array, other: Int32Array): boolean => one === other || bytesOf(one).equals(bytesOf(other));

const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/** Returns the index of a number in ascending ones that have it. */
const placeOf = (numbers: Int32Array, number: number): number => {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
};

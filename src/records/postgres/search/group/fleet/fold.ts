import { DeviceReduction } from '#entities/group-series.js';
import type { FleetColumn, FleetPart } from '#records/blocks/fleet-sum.js';
import type { TileSegment } from './load.js';

/** Parts of sums that a function needs; undefined if it needs the records. */
export const partsOf: Readonly<Record<DeviceReduction, readonly FleetPart[] | undefined>> = {
  avg: ['g', 'n', 's'],
  min: ['g', 'l'],
  max: ['g', 'h'],
  last: ['g', 't'],
  sum: ['g', 's'],
  count: ['g', 'n'],
  increase: ['g', 'f', 't', 'i'],
  rate: ['g', 'f', 't', 'i'],
  timeInState: undefined,
};

/** Whether a function adds up the steps of counters. */
export const isOfSteps = (reduction: DeviceReduction): boolean =>
  reduction === DeviceReduction.increase || reduction === DeviceReduction.rate;

/** Settings of a counter. */
export interface Counter {
  readonly jitter: number;
  /** Infinity if it never rolls over. */
  readonly rollsOverAt: number;
  /** Whether a fall may be something else than a reset. */
  readonly isNoisy: boolean;
}

/** A run of values of a noisy counter that fall: its sums do not tell what the falls mean. */
export class FallenRun extends Error {}

/** The numbers of devices in the current bucket, to which pieces of values are added in order of time. */
export class DeviceFold {
  /** Number of values of each device. */
  readonly counts: Float64Array;
  /** Whether each device has a number. */
  readonly present: Uint8Array;
  /** Whether the number of each device bridges a gap. */
  readonly bridged: Uint8Array;
  /** Value from which the next step of each counter begins; NaN without one. */
  readonly reached: Float64Array;
  private readonly numbers: Float64Array;
  /** Start of the piece before, in Unix seconds. */
  private readonly since: Float64Array;
  /** Start of the bucket before the current one. */
  private before = Number.NEGATIVE_INFINITY;
  private readonly isOfSteps: boolean;
  private readonly isAnyNoisy: boolean;
  private readonly decoded = new Scratch();

  /**
   * @param products index of the product of each device
   * @param counters settings of the counters of products
   */
  constructor(
    private readonly reduction: DeviceReduction,
    private readonly products: Int32Array,
    private readonly counters: readonly Counter[],
  ) {
    const { length } = products;
    this.isOfSteps = isOfSteps(reduction);
    this.counts = new Float64Array(length);
    this.present = new Uint8Array(length);
    this.bridged = new Uint8Array(length);
    this.reached = new Float64Array(length).fill(Number.NaN);
    this.numbers = new Float64Array(length);
    // A counter that has no value yet bridges nothing.
    this.since = new Float64Array(length).fill(Number.POSITIVE_INFINITY);
    this.isAnyNoisy = counters.some(({ isNoisy }) => isNoisy);
  }

  /** Begins a bucket. @param before start of the bucket before it */
  begin(before: number): void {
    for (const column of [this.numbers, this.counts, this.present, this.bridged]) column.fill(0);
    this.before = before;
  }

  /** Returns the number of a device that is present. */
  numberOf(unit: number): number {
    const number = this.numbers[unit]!;
    return this.reduction === DeviceReduction.avg ? number / this.counts[unit]! : number;
  }

  /** Sets where a counter stands: at the last value before the range, or at that of a declared exchange. */
  reach(unit: number, value: number, ts: number): void {
    this.reached[unit] = value;
    this.since[unit] = ts;
  }

  /** Adds a value of a device. */
  addValue(unit: number, v: number, ts: number): void {
    if (this.isOfSteps) this.step(unit, v, v, 0, ts);
    else this.reduce(unit, this.reduction === DeviceReduction.count ? 1 : v);
    this.counts[unit]!++;
  }

  /**
   * Adds the sums of a segment. @param units index of the unit of each device of its tile; -1 for others
   * @throws FallenRun
   */
  addSegment(segment: TileSegment, units: Int32Array): void {
    if (this.isOfSteps) this.addSteps(segment, units);
    else this.addNumbers(segment, units);
    const { n } = segment.columns;
    if (n === undefined) return;
    const { counts } = this;
    const { places, count } = segment;
    const values = this.decoded.read(0, n, segment);
    for (let index = 0; index < count; index++) {
      const unit = units[places === undefined ? index : places[index]!]!;
      if (unit >= 0) counts[unit]! += values[index]!;
    }
  }

  private addNumbers(segment: TileSegment, units: Int32Array): void {
    const { places, count, columns } = segment;
    const values = this.decoded.read(0, columns[valueOf[this.reduction]!]!, segment);
    for (let index = 0; index < count; index++) {
      const unit = units[places === undefined ? index : places[index]!]!;
      if (unit >= 0) this.reduce(unit, values[index]!);
    }
  }

  private addSteps(segment: TileSegment, units: Int32Array): void {
    const { places, count, start, columns } = segment;
    const { decoded } = this;
    const [first, last] = [decoded.read(0, columns.f!, segment), decoded.read(1, columns.t!, segment)];
    const increase = columns.i && decoded.read(2, columns.i, segment);
    const { isAnyNoisy, numbers, present, bridged, reached, since, before } = this;
    for (let index = 0; index < count; index++) {
      const unit = units[places === undefined ? index : places[index]!]!;
      if (unit < 0) continue;
      const f = first[index]!;
      const t = last[index]!;
      const i = increase === undefined ? t - f : increase[index]!;
      if (isAnyNoisy) {
        this.requireRising(unit, f, t, i);
        this.step(unit, f, t, i, start);
        continue;
      }
      // As `step`, without jitter and overflows: this loop takes most of the time of a call.
      const high = reached[unit]!;
      if (f >= high) numbers[unit]! += f - high + i;
      else numbers[unit]! += f < high ? f + i : i;
      if (since[unit]! < before) bridged[unit] = 1;
      present[unit] = 1;
      reached[unit] = t;
      since[unit] = start;
    }
  }

  /** Sets where counters stand after a segment before the range. */
  addLead(segment: TileSegment, units: Int32Array): void {
    const { places, count, start, columns } = segment;
    const last = this.decoded.read(1, columns.t!, segment);
    for (let index = 0; index < count; index++) {
      const unit = units[places === undefined ? index : places[index]!]!;
      if (unit >= 0) this.reach(unit, last[index]!, start);
    }
  }

  private counterOf(unit: number): Counter {
    return this.counters[this.products[unit]!] ?? usual;
  }

  private requireRising(unit: number, first: number, last: number, increase: number): void {
    if (this.counterOf(unit).isNoisy && increase > last - first + 1e-9 * Math.max(Math.abs(last), 1))
      throw new FallenRun();
  }

  private reduce(unit: number, value: number): void {
    const { numbers, present, reduction } = this;
    const isFirst = present[unit] === 0;
    present[unit] = 1;
    if (isFirst || reduction === DeviceReduction.last) numbers[unit] = value;
    else if (reduction === DeviceReduction.min) numbers[unit] = Math.min(numbers[unit]!, value);
    else if (reduction === DeviceReduction.max) numbers[unit] = Math.max(numbers[unit]!, value);
    else numbers[unit]! += value;
  }

  /**
   * Adds the step of a counter to a first value, and its increase from there to a last one. A fall is noise within the
   * jitter, an overflow where that is less than the fall, and otherwise a reset to zero.
   */
  private step(unit: number, first: number, last: number, increase: number, ts: number): void {
    const { jitter, rollsOverAt } = this.counterOf(unit);
    const high = this.reached[unit]!;
    let step = increase;
    let reached = last;
    if (first >= high) step += first - high;
    else if (high - first <= jitter) {
      step = Math.max(last - high, 0);
      reached = Math.max(high, last);
    } else if (first < high) {
      const over = rollsOverAt - high + first;
      step += high <= rollsOverAt && over < high - first ? over : first;
    }
    if (this.since[unit]! < this.before) this.bridged[unit] = 1;
    this.present[unit] = 1;
    this.numbers[unit]! += step;
    this.reached[unit] = reached;
    this.since[unit] = ts;
  }
}

/** Settings of counters without any. */
const usual: Counter = { jitter: 0, rollsOverAt: Number.POSITIVE_INFINITY, isNoisy: false };

/** Arrays that are used again for each segment: new ones for all would occupy the garbage collector. */
class Scratch {
  private readonly arrays: Float64Array[] = [];

  /** Decodes the values of a segment. The next call with this place overwrites them. */
  read(place: 0 | 1 | 2, column: FleetColumn, { offset, count }: TileSegment): Float64Array {
    let array = this.arrays[place];
    if (array === undefined || array.length < count) this.arrays[place] = array = new Float64Array(count);
    column.decode(offset, count, array);
    return array;
  }
}

/** Part that gives the number of a device. */
const valueOf: Readonly<Record<DeviceReduction, FleetPart | undefined>> = {
  avg: 's',
  sum: 's',
  min: 'l',
  max: 'h',
  last: 't',
  count: 'n',
  increase: 't',
  rate: 't',
  timeInState: undefined,
};

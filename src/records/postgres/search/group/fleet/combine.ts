import { DeviceCombination } from '#entities/group-series.js';
import type { GroupRow } from '#records/answer/group-lines.js';
import type { GroupCall } from '#records/group-series.js';
import type { DeviceFold } from './fold.js';
import type { UnitLine } from './unit.js';

/** A line while its points are made. */
export class LinePoints {
  /** Number of values of all points. */
  n = 0;
  private readonly points: [
    b: number,
    value: number,
    devices: number,
    bridged: number,
    lowest: number,
    highest: number,
  ][] = [];

  constructor(readonly line: UnitLine) {}

  get length(): number {
    return this.points.length;
  }

  /** Combines the numbers of the devices in a bucket. @param divisor of each number */
  add(b: number, fold: DeviceFold, divisor: number, { combine, minDevices }: GroupCall): void {
    const { units } = this.line;
    const { present, bridged, counts } = fold;
    const isQuantile = combine === DeviceCombination.p50 || combine === DeviceCombination.p95;
    const kept = new Float64Array(isQuantile ? units.length : 0);
    let [devices, sum, bridges, lowest, highest] = [0, 0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let index = 0; index < units.length; index++) {
      const unit = units[index]!;
      if (present[unit] === 0) continue;
      const number = fold.numberOf(unit) / divisor;
      if (isQuantile) kept[devices] = number;
      devices++;
      sum += number;
      if (number < lowest) lowest = number;
      if (number > highest) highest = number;
      bridges += bridged[unit]!;
      this.n += counts[unit]!;
    }
    if (devices === 0 || devices < minDevices) return;
    const all = {
      sum,
      avg: sum / devices,
      min: lowest,
      max: highest,
      count: devices,
      spread: sum / devices,
      p50: isQuantile ? quantile(kept.subarray(0, devices), 0.5) : 0,
      p95: isQuantile ? quantile(kept.subarray(0, devices), 0.95) : 0,
    };
    this.points.push([b, all[combine], devices, bridges, lowest, highest]);
  }

  /** Returns the rows of an answer. @param place that of the line by its number of values */
  rows(place: number, { combine }: GroupCall): GroupRow[] {
    const { group, key, units } = this.line;
    const isSpread = combine === DeviceCombination.spread;
    if (this.points.length === 0) return [[group, place, key, units.length, null, 0, 0, 0, 0, undefined, undefined]];
    return this.points.map(
      ([b, value, devices, bridges, lowest, highest]): GroupRow => [
        ...([group, place, key, units.length, b, value, devices, 0, bridges] as const),
        isSpread ? lowest : undefined,
        isSpread ? highest : undefined,
      ],
    );
  }
}

/** Returns a quantile, between two numbers by their distance. It sorts the numbers. */
const quantile = (numbers: Float64Array, q: number): number => {
  numbers.sort();
  const place = q * (numbers.length - 1);
  const [low, high] = [numbers[Math.floor(place)]!, numbers[Math.ceil(place)]!];
  return low + (high - low) * (place - Math.floor(place));
};

import { leastBytes, readEntries } from '#records/postgres/digest-entry.js';
import { type Awaitable, chain, type Pace } from '#search/pace.js';

/**
 * Entries are divided into bins, which are ranges of values with at least this many entries on average. Only the bins
 * that a query reads are sorted.
 */
const perBin = 100;

/**
 * Maximum number of bins. With more, finding an entry's bin takes longer than the sorting saves: the entries of one
 * digest are in order and fall into few bins.
 */
const maxBins = 2000;

/** Maximum number of entries sampled to choose the bounds of the bins. */
const maxSample = 20_000;

/** Fraction of the golden ratio. The fractional parts of its multiples are spread evenly between 0 and 1. */
const golden = 0.618034;

/** Number of entries between two yields. */
const perStep = 5000;

/**
 * A value, with the positions of its first and its last number among all numbers (from 0). A mean is placed in the
 * middle of the numbers that it summarizes.
 */
interface Point {
  readonly value: number;
  readonly first: number;
  readonly last: number;
}

/**
 * Numbers read from several concatenated digests (see `record_digest.digest`). Percentiles are exact, by linear
 * interpolation, if no digest entry summarizes several different numbers.
 */
export class Digest {
  /** Number of numbers. */
  private count = 0;
  /** Upper bounds of the bins. */
  private bounds: Float64Array = new Float64Array();
  /**
   * Indexes of the entries, grouped by bin. `starts` and `before` hold the start of each bin, counted in entries and in
   * numbers.
   */
  private order = new Uint32Array();
  private starts = new Uint32Array();
  private before = new Float64Array();

  /** @param weights how many numbers each value stands for; negative if these numbers differ. */
  private constructor(
    private values: Float64Array,
    private weights: Float64Array,
  ) {}

  /** Reads digests of up to a million entries, and yields the event loop meanwhile. */
  static read(bytes: Buffer, pace: Pace): Awaitable<Digest> {
    const most = Math.floor(bytes.length / leastBytes);
    const digest = new Digest(new Float64Array(most), new Float64Array(most));
    return digest.arranged(digest.reading(bytes), pace);
  }

  private *reading(bytes: Buffer): Generator<undefined> {
    const count = yield* readEntries(bytes, this.values, this.weights);
    this.values = this.values.subarray(0, count);
    this.weights = this.weights.subarray(0, count);
  }

  /** Returns the distances of the numbers from their median. */
  deviations(pace: Pace): Awaitable<Digest> {
    const digest = new Digest(new Float64Array(this.values.length), this.weights);
    return digest.arranged(digest.measuring(this.values, this.percentile(50)), pace);
  }

  private *measuring(values: Float64Array, center: number): Generator<undefined> {
    for (let index = 0; index < values.length; index++) {
      this.values[index] = Math.abs(values[index]! - center);
      if (index % perStep === 0) yield undefined;
    }
  }

  /** Fills the entries, groups them into bins and returns this digest. */
  private arranged(filling: Iterable<undefined>, pace: Pace): Awaitable<Digest> {
    return chain(
      pace.map(this.steps(filling), () => undefined),
      () => this,
    );
  }

  private *steps(filling: Iterable<undefined>): Generator<undefined> {
    yield* filling;
    const { values, weights } = this;
    const bounds = boundsOf(values, Math.min(maxBins, Math.max(1, Math.ceil(values.length / perBin))));
    const bins = bounds.length + 1;
    this.bounds = bounds;
    this.order = new Uint32Array(values.length);
    this.starts = new Uint32Array(bins + 1);
    this.before = new Float64Array(bins + 1);
    yield undefined;
    const { starts, before, order } = this;
    const binOf = new Uint16Array(values.length);
    let bin = 0;
    for (let index = 0; index < values.length; index++) {
      const value = values[index]!;
      // In most cases, the entry is in the bin of the entry before, or in the next one.
      if (bounds[bin]! <= value) bin++;
      if (bounds[bin - 1]! > value || bounds[bin]! <= value) bin = this.binOf(value);
      binOf[index] = bin;
      starts[bin + 1]! += 1;
      before[bin + 1]! += Math.abs(weights[index]!);
      if (index % perStep === 0) yield undefined;
    }
    for (let place = 0; place < bins; place++) {
      starts[place + 1]! += starts[place]!;
      before[place + 1]! += before[place]!;
    }
    this.count = before[bins]!;
    yield undefined;
    const next = starts.slice();
    for (let index = 0; index < values.length; index++) {
      const own = binOf[index]!;
      order[next[own]!] = index;
      next[own]! += 1;
      if (index % perStep === 0) yield undefined;
    }
  }

  /** Returns the value below which `percent` percent of the numbers lie. */
  percentile(percent: number): number {
    const place = (percent / 100) * (this.count - 1);
    const bin = this.before.findLastIndex((before, index) => index < this.before.length - 1 && before <= place);
    const points = this.pointsAround(bin);
    const next = points.find(({ last }) => last >= place) ?? points.at(-1)!;
    const previous = points.findLast(({ first }) => first <= place) ?? points[0]!;
    // The place is inside a run of equal numbers, or between two points.
    if (next.first <= place) return next.value;
    if (previous.last >= place) return previous.value;
    return between(previous.value, next.value, (place - previous.last) / (next.first - previous.last));
  }

  /** Returns the percentage of numbers that are at or below a value. */
  rank(value: number): number {
    const points = this.pointsAround(this.binOf(value));
    const previous = points.findLast((point) => point.value <= value);
    const next = points.find((point) => point.value > value);
    if (previous === undefined) return 0;
    if (next === undefined) return 100;
    const share = (value - previous.value) / (next.value - previous.value);
    return (100 * between(previous.last, next.first, share)) / (this.count - 1);
  }

  private binOf(value: number): number {
    let [from, to] = [0, this.bounds.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.bounds[middle]! <= value) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Returns the points of a bin and of its nearest non-empty neighbours on both sides, in order. */
  private pointsAround(bin: number): Point[] {
    let [from, to] = [bin, bin + 1];
    while (from > 0 && this.starts[from] === this.starts[bin]) from--;
    while (to < this.starts.length - 1 && this.starts[to] === this.starts[bin + 1]) to++;
    const points: Point[] = [];
    for (let one = from; one < to; one++) points.push(...this.pointsOf(one));
    return points;
  }

  private pointsOf(bin: number): Point[] {
    let place = this.before[bin]!;
    const next = this.before[bin + 1]!;
    const lowest = this.bounds[bin - 1];
    // All numbers of this bin are equal.
    if (lowest !== undefined && this.bounds[bin] === above(lowest))
      return next > place ? [{ value: lowest, first: place, last: next - 1 }] : [];
    const indexes = this.order
      .subarray(this.starts[bin]!, this.starts[bin + 1]!)
      .toSorted((a, b) => this.values[a]! - this.values[b]!);
    return Array.from(indexes, (index) => {
      const weight = this.weights[index]!;
      const middle = place + (Math.abs(weight) - 1) / 2;
      const point = {
        value: this.values[index]!,
        first: weight < 0 ? middle : place,
        last: weight < 0 ? middle : place + weight - 1,
      };
      place += Math.abs(weight);
      return point;
    });
  }
}

/**
 * Returns bounds that divide the values into about `parts` bins of equal size, as estimated from a sample. A number
 * that fills a bin or more gets a bin of its own, which never needs sorting however many entries it has.
 */
const boundsOf = (values: Float64Array, parts: number): Float64Array => {
  const size = Math.min(values.length, maxSample);
  // The distances between samples vary: devices often report in turns, which equal distances would follow.
  const sample = Float64Array.from(
    { length: size },
    (_, index) => values[Math.floor(((index + ((index * golden) % 1)) * values.length) / size)]!,
  ).sort();
  const bounds: number[] = [];
  for (let part = 1; part < parts; part++) {
    const bound = sample[Math.floor((part * size) / parts)]!;
    const last = bounds.at(-1);
    if (last === undefined || bound > last) bounds.push(bound);
    else if (bound === last) bounds.push(above(bound));
  }
  return Float64Array.from(bounds);
};

const number = new Float64Array(1);
const bits = new BigInt64Array(number.buffer);

/** Returns the next larger double. */
const above = (value: number): number => {
  if (value === 0) return Number.MIN_VALUE;
  number[0] = value;
  bits[0]! += value > 0 ? 1n : -1n;
  return number[0];
};

/** Interpolates as PostgreSQL's `percentile_cont` does. */
const between = (low: number, high: number, share: number): number => low + (high - low) * share;

import { type Awaitable, chain, type Pace } from '../../../../search/pace.js';
import { entryCount, readEntries } from '../../digest-entry.js';

/** Entries are put in order by stretches of value, of at least so many entries on average: only those looked at are sorted. */
const perBin = 100;

/** More stretches take longer to find than to sort: the entries of one digest, which are in order, pass through few of them. */
const maxBins = 2000;

/** Entries by which it is found out where stretches begin. */
const maxSample = 20_000;

/** Entries that are worked on before it is asked whether others wait. */
const perStep = 5000;

/** A value, the place of its first and its last number among all (from 0). A mean stands in the middle of what it is of. */
interface Point {
  readonly value: number;
  readonly first: number;
  readonly last: number;
}

/**
 * Numbers as digests have them (see `record_digest.digest`): several digests behind each other. Where none of them stands for
 * several different numbers, answers are exact, by linear interpolation.
 */
export class Digest {
  /** How many numbers. */
  private count = 0;
  private readonly values: Float64Array;
  /** How many numbers each entry stands for; below 0 where these differ. */
  private readonly weights: Float64Array;
  /** Where stretches of value end. */
  private bounds: Float64Array = new Float64Array();
  /** Entries by stretch of value; `starts` and `before` say where each stretch begins, in entries and in numbers. */
  private readonly order: Uint32Array;
  private readonly starts: Uint32Array;
  private readonly before: Float64Array;

  private constructor(entries: number) {
    this.values = new Float64Array(entries);
    this.weights = new Float64Array(entries);
    const bins = Math.min(maxBins, Math.max(1, Math.ceil(entries / perBin)));
    this.starts = new Uint32Array(bins + 1);
    this.before = new Float64Array(bins + 1);
    this.order = new Uint32Array(entries);
  }

  /** Reads digests, which may be a million entries: the event loop is given to others meanwhile. */
  static read(bytes: Buffer, pace: Pace): Awaitable<Digest> {
    const digest = new Digest(entryCount(bytes));
    return digest.arranged(readEntries(bytes, digest.values, digest.weights), pace);
  }

  /** How far the numbers are from their median. */
  deviations(pace: Pace): Awaitable<Digest> {
    const digest = new Digest(this.values.length);
    const median = this.percentile(50);
    digest.weights.set(this.weights);
    this.values.forEach((value, index) => (digest.values[index] = Math.abs(value - median)));
    return digest.arranged([], pace);
  }

  /** Itself, once it has its entries and has put them in stretches. */
  private arranged(filling: Iterable<undefined>, pace: Pace): Awaitable<Digest> {
    return chain(
      pace.map(this.steps(filling), () => undefined),
      () => this,
    );
  }

  private *steps(filling: Iterable<undefined>): Generator<undefined> {
    const { values, weights, starts, before, order } = this;
    const bins = starts.length - 1;
    yield* filling;
    this.bounds = boundsOf(values, bins);
    yield undefined;
    const binOf = new Uint16Array(values.length);
    const { bounds } = this;
    let bin = 0;
    for (let index = 0; index < values.length; index++) {
      const value = values[index]!;
      // Mostly that of the entry before, or the next one.
      if (bin > 0 && value < bounds[bin - 1]!) bin = this.binOf(value);
      else while (bin < bounds.length && bounds[bin]! <= value) bin++;
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

  /** The value below which so many percent lie. */
  percentile(percent: number): number {
    const place = (percent / 100) * (this.count - 1);
    const bin = this.before.findLastIndex((before, index) => index < this.before.length - 1 && before <= place);
    const points = this.pointsAround(bin);
    const next = points.find(({ last }) => last >= place) ?? points.at(-1)!;
    const previous = points.findLast(({ first }) => first <= place) ?? points[0]!;
    // Either is a stretch of the same number that the place is in, or it is between two.
    if (next.first <= place) return next.value;
    if (previous.last >= place) return previous.value;
    return between(previous.value, next.value, (place - previous.last) / (next.first - previous.last));
  }

  /** How many percent lie at or below a value. */
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

  /** The points of a stretch of values, and of those before and after it that have any, in order. */
  private pointsAround(bin: number): Point[] {
    let [from, to] = [bin, bin + 1];
    while (from > 0 && this.starts[from] === this.starts[bin]) from--;
    while (to < this.starts.length - 1 && this.starts[to] === this.starts[bin + 1]) to++;
    const indexes = this.order
      .subarray(this.starts[from]!, this.starts[to]!)
      .toSorted((a, b) => this.values[a]! - this.values[b]!);
    let place = this.before[from]!;
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

/** Values that cut the others in so many parts of about the same size, as far as a sample tells. */
const boundsOf = (values: Float64Array, parts: number): Float64Array => {
  const size = Math.min(values.length, maxSample);
  const sample = Float64Array.from(
    { length: size },
    (_, index) => values[Math.floor((index * values.length) / size)]!,
  ).sort();
  return Float64Array.from({ length: parts - 1 }, (_, index) => sample[Math.floor(((index + 1) * size) / parts)]!);
};

/** As PostgreSQL does it (`percentile_cont`). */
const between = (low: number, high: number, share: number): number => low + (high - low) * share;

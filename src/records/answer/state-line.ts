import type { StateLine } from '../record-index.js';
import type { UnixRange } from '../series-interval.js';

/**
 * Usual intervals of a variable for which a state lasts at most without a further record. The console's charts draw a
 * gap after the same time.
 */
export const gapFactor = 2.1;

/** Maximum number of states of one bucket; the shortest ones are left out. */
const mostStates = 10;

/** A record with a value, in Unix seconds. */
export interface Sighting {
  readonly ts: number;
  /** Time of the last record, if the sighting combines several records of the same state; else `ts`. */
  readonly until: number;
  /** Time of the record before this one, whether or not it has a sighting; null for the first. */
  readonly before: number | null;
  readonly state: string;
}

/** Times of a state. */
interface Piece extends UnixRange {
  readonly state: string;
}

/** Range and buckets of the lines, in Unix seconds. */
export interface StateBuckets {
  readonly range: UnixRange;
  readonly interval: number;
}

export type StateColumns = Pick<StateLine, 'ts' | 'seconds' | 'values'>;

/**
 * Makes a line of the sightings of a device, in order of time. There has to be one for each change of the state, for
 * the first record of each bucket, and for the last record.
 *
 * A state lasts until the next record, and at most {@link gapFactor} usual intervals. Changes are told exactly while a
 * bucket has one. A bucket with more tells the seconds of each state.
 */
export const stateColumns = (sightings: readonly Sighting[], buckets: StateBuckets): StateColumns => {
  const pieces = piecesOf(sightings, buckets);
  const crowded = crowdedBuckets(pieces, buckets.interval);
  const entries = pieces.flatMap((piece) => exactParts(piece, crowded, buckets.interval));
  for (const [bucket, inside] of crowded) entries.push(...sharesOf(bucket, inside, buckets));
  entries.sort((a, b) => a.from - b.from || b.seconds - a.seconds);
  return {
    ts: entries.map(({ from }) => toMillis(from)),
    seconds: entries.map(({ seconds }) => toMillis(seconds)),
    values: entries.map(({ state }) => state),
  };
};

interface Entry {
  readonly from: number;
  readonly seconds: number;
  readonly state: string;
}

const toMillis = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Returns the times of the states within the range. Equal states that follow each other are one piece. */
const piecesOf = (sightings: readonly Sighting[], { range, interval }: StateBuckets): Piece[] => {
  const gap = gapFactor * usualInterval(sightings, interval);
  const pieces: Piece[] = [];
  sightings.forEach(({ ts, until, state }, index) => {
    const next = sightings[index + 1];
    const end = Math.min(next?.ts ?? range.to, (next?.before ?? until) + gap, range.to);
    const start = Math.max(ts, range.from);
    if (end <= start) return;
    const last = pieces.at(-1);
    if (last?.state === state && last.to === start) pieces[pieces.length - 1] = { ...last, to: end };
    else pieces.push({ from: start, to: end, state });
  });
  return pieces;
};

/** Returns the median distance of buckets with records, at least the length of a bucket: as charts have it. */
const usualInterval = (sightings: readonly Sighting[], interval: number): number => {
  const starts = [...new Set(sightings.map(({ ts }) => Math.floor(ts / interval)))];
  const steps = starts.slice(1).map((start, index) => (start - starts[index]!) * interval);
  steps.sort((a, b) => a - b);
  return Math.max(interval, steps[Math.floor((steps.length - 1) / 2)] ?? 0);
};

/** Returns the buckets with more than two pieces, and their pieces. */
const crowdedBuckets = (pieces: readonly Piece[], interval: number): Map<number, Piece[]> => {
  const found = new Map<number, Piece[]>();
  for (const piece of pieces)
    for (const bucket of new Set(endBuckets(piece, interval))) {
      const inside = found.get(bucket);
      if (inside === undefined) found.set(bucket, [piece]);
      else inside.push(piece);
    }
  for (const [bucket, inside] of found) if (inside.length <= 2) found.delete(bucket);
  return found;
};

/** Returns the first and the last bucket of a piece. The buckets between them have no other piece. */
const endBuckets = ({ from, to }: Piece, interval: number): [number, number] => [
  Math.floor(from / interval),
  Math.ceil(to / interval) - 1,
];

/** Returns the part of a piece outside crowded buckets. */
const exactParts = ({ from, to, state }: Piece, crowded: ReadonlyMap<number, unknown>, interval: number): Entry[] => {
  const [first, last] = endBuckets({ from, to, state }, interval);
  const start = crowded.has(first) ? (first + 1) * interval : from;
  const end = crowded.has(last) ? last * interval : to;
  return end > start ? [{ from: start, seconds: end - start, state }] : [];
};

/** Returns the seconds of each state in a crowded bucket. All entries begin with the bucket. */
const sharesOf = (bucket: number, inside: readonly Piece[], { range, interval }: StateBuckets): Entry[] => {
  const [start, end] = [bucket * interval, (bucket + 1) * interval];
  const seconds = new Map<string, number>();
  for (const { from, to, state } of inside)
    seconds.set(state, (seconds.get(state) ?? 0) + Math.min(to, end) - Math.max(from, start));
  return [...seconds]
    .map(([state, all]) => ({ from: Math.max(start, range.from), seconds: all, state }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, mostStates);
};

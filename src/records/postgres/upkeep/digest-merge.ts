import { leastBytes, readEntries } from '../digest-entry.js';
import { exactValues } from '../summary.js';

/** Number of entries for each unit of the logit, log(q / (1 - q)): twice as many as in digests of days. */
const density = 50;

/** Number of bytes, or hashes, between two yields. */
const perStep = 4096;

/**
 * Merges concatenated digests into one by combining neighbours, as in digests of days. At the quantile q, an entry
 * stands for at most the share 0.02 q (1 - q) of the numbers, plus the weight of one more entry.
 */
export function* mergeDigests(bytes: Buffer): Generator<undefined, Buffer> {
  const most = Math.floor(bytes.length / leastBytes);
  const [values, weights] = [new Float64Array(most), new Float64Array(most)];
  const size = yield* readEntries(bytes, values, weights);
  const order = Uint32Array.from({ length: size }, (_, index) => index).sort((a, b) => values[a]! - values[b]!);
  yield undefined;
  const total = weights.reduce((sum, weight) => sum + Math.abs(weight), 0);
  const merged: Entry[] = [];
  let [place, last] = [0, NaN];
  for (const index of order) {
    const [value, weight] = [values[index]!, weights[index]!];
    const middle = place + Math.abs(weight) / 2;
    const entry = Math.floor(density * Math.log(middle / (total - middle)));
    place += Math.abs(weight);
    const previous = merged.at(-1);
    if (previous && (entry === last || (previous.value === value && previous.weight > 0 && weight > 0)))
      join(previous, value, weight);
    else merged.push({ value, weight });
    last = entry;
  }
  return written(merged);
}

/** @see readEntries */
interface Entry {
  value: number;
  weight: number;
}

/** Adds an entry to another. The result stays exact while both stand for the same number. */
const join = (entry: Entry, value: number, weight: number): void => {
  const isSame = entry.value === value && entry.weight > 0 && weight > 0;
  const count = Math.abs(entry.weight) + Math.abs(weight);
  // The mean moves by a fraction of the difference, because a sum of large numbers may overflow.
  if (!isSame) entry.value += value * (Math.abs(weight) / count) - entry.value * (Math.abs(weight) / count);
  entry.weight = isSame ? count : -count;
};

const written = (entries: readonly Entry[]): Buffer => {
  const single = entries.every(({ weight }) => weight === 1);
  const size = single ? 8 : 12;
  const bytes = Buffer.alloc(4 + size * entries.length);
  bytes.writeInt32BE(single ? entries.length : -entries.length);
  entries.forEach(({ value, weight }, index) => {
    bytes.writeDoubleBE(value, 4 + size * index);
    if (!single) bytes.writeInt32BE(weight, 12 + size * index);
  });
  return bytes;
};

/** Merges concatenated sketches into one (see `record_digest_total.sketch`). */
export function* mergeSketches(bytes: Buffer): Generator<undefined, Buffer> {
  const hashes = new Set<number>();
  let exact = true;
  for (let at = 0; at < bytes.length; ) {
    const count = bytes.readInt32BE(at);
    exact &&= count >= 0;
    const end = at + 4 + 4 * Math.abs(count);
    for (at += 4; at < end; at += 4) {
      hashes.add(bytes.readInt32BE(at));
      if (at % perStep === 0) yield undefined;
    }
  }
  exact &&= hashes.size <= exactValues;
  const kept = exact ? [...hashes] : yield* lowest(hashes);
  const merged = Buffer.alloc(4 + 4 * kept.length);
  merged.writeInt32BE(exact ? kept.length : -kept.length);
  kept.forEach((hash, index) => merged.writeInt32BE(hash, 4 + 4 * index));
  return merged;
}

/** Returns the smallest of the hashes that share their first 14 bits. */
function* lowest(hashes: Iterable<number>): Generator<undefined, number[]> {
  const least = new Map<number, number>();
  let step = 0;
  for (const hash of hashes) {
    const register = hash >> 18;
    least.set(register, Math.min(hash, least.get(register) ?? hash));
    if (++step % perStep === 0) yield undefined;
  }
  return [...least.values()];
}

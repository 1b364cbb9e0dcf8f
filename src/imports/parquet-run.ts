import { readVarint } from './parquet-thrift.js';

/** Values that a bit-packed run may claim beyond those that are left: writers fill up their last run. */
const padding = 512;

/** A stretch of runs: where it is, how many bits a value has, and how many values it must have. */
export interface Runs {
  from: number;
  end: number;
  width: number;
  count: number;
}

/**
 * Checks runs of the hybrid of run lengths and bit-packing: hyparquet writes as many values as a run claims. Goes over the
 * same bytes as hyparquet.
 * @param wanted the value to count
 * @returns how many of the values are `wanted`
 * @throws Error where a run claims more values than are left, or its bytes are not there
 */
export const checkRuns = (bytes: Uint8Array, { from, end, width, count }: Runs, wanted?: number): number => {
  if (width > 32) throw new Error(`a page has values of ${width} bits`);
  let [at, seen, found] = [from, 0, 0];
  while (seen < count) {
    if (at >= end) throw new Error('a run of values is cut off');
    const head = readVarint(bytes, at);
    at = head.end;
    const isPacked = (head.value & 1) === 1;
    const claimed = Math.floor(head.value / 2) * (isPacked ? 8 : 1);
    const left = count - seen;
    if (claimed > left + (isPacked ? padding : 0))
      throw new Error(`a run claims ${claimed} values where ${left} are left`);
    if (isPacked) {
      const values = Math.min(claimed, left);
      if (wanted !== undefined) found += countPacked(bytes, { from: at, width, count: values }, wanted);
      if (width === 0 && values < left) throw new Error('a run has values without bits');
      at += Math.max(1, (claimed / 8) * width);
      seen += values;
    } else {
      if (wanted !== undefined && valueAt(bytes, at, width) === wanted) found += claimed;
      at += Math.ceil(width / 8);
      seen += claimed;
    }
  }
  return found;
};

/** The same where the length of the runs, in four bytes, stands before them. Gives where they end, too. */
export const checkPrefixedRuns = (
  bytes: Uint8Array,
  { from, width, count }: Omit<Runs, 'end'>,
  wanted?: number,
): { end: number; found: number } => {
  if (from + 4 > bytes.length) throw new Error('a page is cut off');
  const end = from + 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(from, true);
  if (end > bytes.length) throw new Error('the levels of a page are longer than the page');
  return { end, found: checkRuns(bytes, { from: from + 4, end, width, count }, wanted) };
};

/** Levels have 6 bits at most: the schema is not that deep. */
const valueAt = (bytes: Uint8Array, at: number, width: number): number => (width === 0 ? 0 : (bytes[at] ?? 0));

const countPacked = (bytes: Uint8Array, { from, width, count }: Omit<Runs, 'end'>, wanted: number): number => {
  const mask = 2 ** width - 1;
  let found = 0;
  for (let index = 0, bit = 0; index < count; index++, bit += width) {
    const at = from + (bit >> 3);
    const two = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
    if (((two >> (bit & 7)) & mask) === wanted) found++;
  }
  return found;
};

import { readVarint } from './parquet-thrift.js';

/** Number of values that a bit-packed run may claim beyond those left: writers pad their last run. */
const padding = 512;

/** A sequence of runs: its bytes, the number of bits of a value, and the number of values it must have. */
export interface Runs {
  from: number;
  end: number;
  width: number;
  count: number;
}

/**
 * Checks runs of the hybrid of run-length encoding and bit-packing, because hyparquet writes as many values as a run
 * claims. It reads the same bytes as hyparquet.
 * @param wanted value to count
 * @returns the number of values that equal `wanted`
 * @throws Error if a run claims more values than are left, or its bytes are missing
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

/** Checks runs that are preceded by their length in four bytes. Returns also the end of the runs. */
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

/** Returns a value of a run-length run. A level has at most 6 bits, because the schema is not deeper. */
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

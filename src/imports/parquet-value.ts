import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import type { ParquetLeaf } from './parquet-footer.js';
import type { Spend } from './parquet-limit.js';
import { checkPrefixedRuns, checkRuns } from './parquet-run.js';
import { readVarint } from './parquet-thrift.js';

/** The values of a page: their beginning, their encoding (parquet.thrift, Encoding), and their number. */
interface Values {
  at: number;
  encoding: unknown;
  count: number;
  leaf: ParquetLeaf;
  /** Whether the page is of version 2. */
  isV2: boolean;
  spend: Spend;
}

const [boolean, byteArray, fixed] = [0, 6, 7];

/** Returns the minimum number of bits of a value of a physical type. */
const bitsOf = ({ type, typeLength }: ParquetLeaf): number =>
  type === fixed ? typeLength * 8 : [1, 32, 64, 96, 32, 64, 32][type]!;

/**
 * Checks that a page holds the values that it claims.
 * @throws Error with the reason
 */
export const checkValues = (page: Uint8Array, values: Values): void => {
  const { at, encoding, count, leaf, isV2 } = values;
  // For a count of 0, hyparquet reads only what precedes the values, such as a bit width.
  switch (encoding) {
    case 0:
    case 9:
      if (count * bitsOf(leaf) > (page.length - at) * 8)
        throw new Error(`a page claims ${count} values and has ${page.length - at} bytes for them`);
      return;
    case 2:
    case 3:
    case 8:
      if (isV2 ? encoding === 3 : leaf.type === boolean) checkPrefixedRuns(page, { from: at, width: 1, count });
      else checkIndices(page, at, count);
      return;
    case 5:
    case 6:
      return checkDelta(page, at, count);
    case 7:
      return checkPrefixes(page, values);
    default:
      throw new Error(`a page is written in the encoding ${String(encoding)}, which is not supported`);
  }
};

/** Checks the dictionary indices of a page: the number of bits of each, and runs. */
const checkIndices = (page: Uint8Array, at: number, count: number): void => {
  const width = page[at];
  if (width === undefined) throw new Error('a page is cut off');
  checkRuns(page, { from: at + 1, end: page.length, width, count });
};

const mostPerBlock = 2 ** 16;
const mostMiniblocks = 1024;

const checkDelta = (page: Uint8Array, at: number, count: number): void => {
  if (count === 0) return;
  const block = readVarint(page, at);
  const miniblocks = readVarint(page, block.end);
  const isGood =
    miniblocks.value > 0 &&
    miniblocks.value <= mostMiniblocks &&
    block.value > 0 &&
    block.value <= mostPerBlock &&
    block.value % miniblocks.value === 0;
  if (!isGood) throw new Error(`a page has blocks of ${block.value} values in ${miniblocks.value} parts`);
};

/**
 * Checks delta byte arrays, in which a text shares a prefix with the one before. A few bytes may stand for long texts,
 * so this reads their lengths first.
 */
const checkPrefixes = (page: Uint8Array, { at, count, leaf, spend }: Values): void => {
  if (leaf.type !== byteArray && leaf.type !== fixed) throw new Error('a page of numbers is written as texts');
  if (count === 0) return;
  const reader = { view: new DataView(page.buffer, page.byteOffset, page.byteLength), offset: at };
  let bytes = 0;
  for (let part = 0; part < 2; part++) {
    checkDelta(page, reader.offset, count);
    const lengths = new Int32Array(count);
    deltaBinaryUnpack(reader, count, lengths);
    for (const length of lengths) {
      if (length < 0) throw new Error('a text has a negative length');
      bytes += length;
    }
  }
  spend({ bytes, values: 0, pages: 0 });
};

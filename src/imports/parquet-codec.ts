import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Compressors, snappyUncompress } from 'hyparquet';

const snappy = (input: Uint8Array, length: number): Uint8Array => {
  const output = new Uint8Array(length);
  snappyUncompress(input, output);
  return output;
};

/** Decompressors of pages. Each takes the maximum number of output bytes. */
export const compressors = {
  SNAPPY: snappy,
  GZIP: (input, maxOutputLength) => gunzipSync(input, { maxOutputLength }),
  BROTLI: (input, maxOutputLength) => brotliDecompressSync(input, { maxOutputLength }),
  ZSTD: (input, maxOutputLength) => zstdDecompressSync(input, { maxOutputLength }),
} satisfies Compressors;

/** Decompressors by codec number (parquet.thrift, CompressionCodec). */
const byCodec = new Map<number, (input: Uint8Array, length: number) => Uint8Array>([
  [0, (input) => input],
  [1, compressors.SNAPPY],
  [2, compressors.GZIP],
  [4, compressors.BROTLI],
  [6, compressors.ZSTD],
]);

/**
 * Decompresses a page.
 * @throws Error if its length differs from the one in its header
 */
export const decompress = (codec: number, input: Uint8Array, length: number): Uint8Array => {
  const codecOf = byCodec.get(codec);
  if (codecOf === undefined)
    throw new Error('it is compressed in a way that is not supported; use Zstandard or Snappy');
  // The decompressors accept no limit of 0.
  const output = length === 0 && codec !== 0 ? new Uint8Array() : codecOf(input, length);
  if (output.length !== length) throw new Error(`a page has ${output.length} bytes instead of ${length}`);
  return output;
};

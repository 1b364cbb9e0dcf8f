/** Minimum number of bytes of an entry, which bounds the number of entries. */
export const leastBytes = 8;

/** Number of entries between two yields. */
const perStep = 5000;

/**
 * Reads the entries of concatenated digests (see `record_digest.digest`) in steps, and returns their number.
 * @param weights receives the count of numbers behind each entry; negative if these differ
 */
export function* readEntries(bytes: Buffer, values: Float64Array, weights: Float64Array): Generator<undefined, number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let index = 0;
  for (let at = 0; at < bytes.length; ) {
    const entries = view.getInt32(at);
    at += 4;
    for (let left = Math.abs(entries); left > 0; left--) {
      values[index] = view.getFloat64(at);
      weights[index] = entries < 0 ? view.getInt32(at + 8) : 1;
      at += entries < 0 ? 12 : 8;
      index += 1;
      if (index % perStep === 0) yield undefined;
    }
  }
  return index;
}

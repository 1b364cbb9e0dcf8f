/** Bytes of an entry at least: there are no more entries than bytes hold of these. */
export const leastBytes = 8;

/** Entries that are worked on before it is asked whether others wait. */
const perStep = 5000;

/**
 * Reads the entries of digests that stand behind each other (see `record_digest.digest`), in steps, and says how many there are.
 * @param weights how many numbers each stands for; below 0 where these differ.
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

/** Usual number of records of a block. */
const usual = 4000;

/** Number of characters of JSON and texts beyond which a block gets no further record. */
const longest = 32 * 2 ** 20;

/** Parts of a row that can be long. */
interface Sized {
  metadata: string;
  data: string;
  frame: string | null;
}

/**
 * Cuts the records of a product and day into the records of blocks, of about 4,000 records each. The last two blocks
 * share what is left, so that no block is small because the number of records is not a multiple.
 * @param pages rows in the order of device, time and `seq`
 */
export async function* cutBlocks<Row extends Sized>(pages: AsyncIterable<readonly Row[]>): AsyncGenerator<Row[]> {
  let waiting: Row[] = [];
  let size = 0;
  for await (const page of pages)
    for (const row of page) {
      waiting.push(row);
      size += row.metadata.length + row.data.length + (row.frame?.length ?? 0);
      if (size < longest && waiting.length < 1.5 * usual) continue;
      const taken = size < longest ? waiting.splice(0, usual) : waiting.splice(0);
      size = waiting.reduce(
        (sum, { metadata, data, frame }) => sum + metadata.length + data.length + (frame?.length ?? 0),
        0,
      );
      yield taken;
    }
  if (waiting.length > 1.25 * usual) yield waiting.splice(0, waiting.length / 2);
  if (waiting.length > 0) yield waiting;
}

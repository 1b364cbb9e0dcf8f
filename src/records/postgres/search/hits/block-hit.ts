import { type BlockReader, type BlockRecord, readBlocks } from '#records/postgres/blocks/block-records.js';

/** A shown record that only a block holds. */
export interface BlockHit {
  readonly block: number;
  /** Place in the block, which counts from 1. */
  readonly place: number;
  readonly record: BlockRecord;
}

/** Shown records that only blocks hold, by identifier. */
export type BlockHits = ReadonlyMap<string, BlockHit>;

/** Organization of shown records, and which of them only blocks hold. */
export interface ShownRecords {
  readonly organizationId: string;
  readonly inBlocks: BlockHits;
}

/** No such records. */
export const noBlockHits: BlockHits = new Map();

/**
 * Completes records that were read with `hitColumns` and `placeColumns`, and takes off the latter: what blocks hold is
 * decoded, each block once.
 * @param from index of the first column of a record in a row
 * @param weigh counts the memory of a record in bytes
 */
export const completeHits = async (
  reader: BlockReader,
  rows: readonly unknown[][],
  from: number,
  weigh: (bytes: number) => void,
): Promise<BlockHits> => {
  const wanted = new Map<number, { row: unknown[]; place: number }[]>();
  for (const row of rows) {
    const [block, place] = row.splice(-2) as [number | null, number | null];
    if (block === null) continue;
    const one = { row, place: place! };
    const known = wanted.get(block);
    if (known) known.push(one);
    else wanted.set(block, [one]);
  }
  const hits = new Map<string, BlockHit>();
  const places = new Map([...wanted].map(([block, some]) => [block, new Set(some.map(({ place }) => place - 1))]));
  for await (const { block, records } of readBlocks(reader, [...wanted.keys()], places)) {
    const inOrder = [...places.get(block)!].toSorted((a, b) => a - b);
    const found = new Map(records.map((record, index) => [inOrder[index]! + 1, record]));
    for (const { row, place } of wanted.get(block)!) {
      const record = found.get(place)!;
      const { id, metadata, data, frame, ignored } = record;
      weigh(metadata.length + data.length + (frame?.length ?? 0));
      row[from] = id;
      row.splice(from + shownFrom, 4, metadata, data, frame, ignored);
      hits.set(id, { block, place, record });
    }
  }
  return hits;
};

/** Index of `metadata` among the columns of a record, which `data`, `frame` and `ignored` follow. */
const shownFrom = 4;

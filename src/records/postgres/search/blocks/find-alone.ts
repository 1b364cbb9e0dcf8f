import type { Rows } from '#records/scope/snapshot-reader.js';
import type { TimeRange } from '#search/envelope.js';
import { readPaths } from './block-path.js';
import { aloneDays, type BlockRange } from './block-range.js';
import type { FindBlocks } from './find-blocks.js';

/** Finds the days of some products whose records only blocks hold; undefined without any. */
export const findAlone = async (
  rows: Rows,
  blocks: FindBlocks,
  { productIds, range }: { readonly productIds: readonly string[]; readonly range: TimeRange },
): Promise<BlockRange | undefined> => {
  const days = aloneDays(productIds, { from: range.fromMillis, to: range.toMillis }, await blocks(rows));
  return days && { ...days, paths: await readPaths(rows, days.sources) };
};

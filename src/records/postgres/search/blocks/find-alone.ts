import type { Rows } from '#records/scope/snapshot-reader.js';
import type { TimeRange } from '#search/envelope.js';
import { readPaths } from './block-path.js';
import { aloneDays, type BlockRange } from './block-range.js';
import type { FindBlocks } from './find-blocks.js';

/**
 * Returns a function that finds the days of some products whose records only blocks hold; undefined without any. It reads
 * once for all queries of a call with the same products.
 */
export const findAlone = (
  blocks: FindBlocks,
  { fromMillis, toMillis }: TimeRange,
): ((rows: Rows, productIds: readonly string[]) => Promise<BlockRange | undefined>) => {
  const found = new Map<string, Promise<BlockRange | undefined>>();
  const find = async (rows: Rows, productIds: readonly string[]): Promise<BlockRange | undefined> => {
    const days = aloneDays(productIds, { from: fromMillis, to: toMillis }, await blocks(rows));
    return days && { ...days, paths: await readPaths(rows, days.sources) };
  };
  return (rows, productIds) => {
    const key = productIds.join();
    const finding = found.get(key) ?? find(rows, productIds);
    found.set(key, finding);
    return finding;
  };
};

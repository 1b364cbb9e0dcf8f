import sql from 'sql-template-tag';
import type { Rows } from '#records/scope/snapshot-reader.js';
import type { BlockSource } from './find-blocks.js';

/** Numbers of the columns of leaves: by name, then by source. */
export type BlockPaths = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Reads the numbers of the leaves of `data`, `metadata` and `many`, under which the blocks of some sources have them. */
export const readPaths = async (rows: Rows, sources: readonly BlockSource[]): Promise<BlockPaths> => {
  const found = await rows<{ path: string; sources: number[]; cols: number[] }>(
    sql`
      select path, array_agg(source) as sources, array_agg(col) as cols from record_block_path
      where source = any(${sources.map(({ source }) => source)}::int[])
        and substr(path, 2, 4) in ('data', 'meta', 'many')
      group by path`,
    'block paths',
  );
  return new Map(
    found.map(({ path, sources, cols }) => [path, new Map(sources.map((source, index) => [source, cols[index]!]))]),
  );
};

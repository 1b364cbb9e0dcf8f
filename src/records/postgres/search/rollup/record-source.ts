import sql, { type Sql } from 'sql-template-tag';
import type { BlockNeed } from '../blocks/block-need.js';
import { type BlockRange, type Wanted, wantedSpans } from '../blocks/block-range.js';
import { blockSource } from '../blocks/block-source.js';
import type { RollupRange, Whose } from './rollup-range.js';

/** Records that a query may see; the times are ISO 8601, both inclusive. */
export interface RollupBounds extends Whose {
  readonly from: string;
  readonly to: string;
  /** Days that only blocks hold. */
  readonly alone?: BlockRange;
}

/**
 * Returns the records `x` from which rows like those of rollups are made: rows and, of days that only blocks hold, blocks.
 * @param wanted the time of the records. The statement compares it, too
 */
export const recordSource = (
  bounds: RollupBounds,
  { slots, keys = [] }: RollupRange,
  wanted: readonly Wanted[],
): Sql => {
  const spans = bounds.alone ? wantedSpans(bounds.alone.spans, wanted) : [];
  if (bounds.alone === undefined || spans.length === 0) return sql`record x`;
  const all = [...new Set([...slots, ...keys.map(({ slot }) => slot)])].toSorted((a, b) => a - b);
  const need: BlockNeed = {
    time: true,
    device: true,
    numbers: all.filter((slot) => slot > 0),
    texts: all
      .filter((slot) => slot < 0)
      .map((slot) => -slot)
      .toReversed(),
    seq: false,
    id: false,
    place: false,
    leaves: [],
    inJson: [],
    json: new Map(),
  };
  const scope = { ...bounds, condition: sql`true`, predicates: [] };
  return sql`(select * from ${blockSource(scope, { ...bounds.alone, spans }, need)}) x`;
};

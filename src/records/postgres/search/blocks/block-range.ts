import { dayMs } from '#common/time.js';
import { instantText } from '#search/query/option/instant.js';
import type { Stale } from '../rollup/rollup-range.js';
import type { BlockPaths } from './block-path.js';
import type { BlockSource, Blocks } from './find-blocks.js';

/** The days that a query reads from blocks; it reads records everywhere else. */
export interface BlockRange {
  /** Start of the first day, and end of the last, as ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly sources: readonly BlockSource[];
  /** Whether the query covers all devices of the products. */
  readonly everyDevice: boolean;
  /** Days in between that are read from records. */
  readonly stale: readonly Stale[];
  readonly paths: BlockPaths;
}

/** Products and devices that a query reads. */
interface Question {
  /** Empty: every product, and records without a product. */
  readonly productIds: readonly string[];
  readonly deviceIds: readonly string[];
  /** Whether these are all devices of the application. */
  readonly everyDevice: boolean;
  /** The time that matching records can be in, in milliseconds. */
  readonly span: { readonly from: number; readonly to: number };
  /** Current time in milliseconds. */
  readonly now: number;
}

/** Maximum number of days within the range that are read from records. */
const maxStaleDays = 100;

/** Length of the tail before now, in milliseconds, that is read from records as a whole if a day of it is stale. */
const tail = 3 * dayMs;

/**
 * Share of the devices below which records are read: their index finds those of few devices, while a block is decoded as
 * a whole.
 */
const leastShare = 1 / 8;

/** Chooses the days to read from blocks; undefined if reading only records is faster. */
export const blockDays = (
  { productIds, deviceIds, everyDevice, span, now }: Question,
  { sources, stale }: Blocks,
): Omit<BlockRange, 'paths'> | undefined => {
  const isInScope = (id: string | null) => productIds.length === 0 || (id !== null && productIds.includes(id));
  const inScope = sources.filter(({ productId }) => isInScope(productId));
  const devices = inScope.reduce((sum, each) => sum + each.devices, 0);
  if (inScope.length === 0 || deviceIds.length < devices * leastShare) return undefined;
  const from = Math.ceil(span.from / dayMs) * dayMs;
  const end = Math.floor(span.to / dayMs) * dayMs;
  const outdated = [...stale]
    .filter(([id]) => isInScope(id))
    .flatMap(([productId, days]) => days.map((seconds): Stale => ({ productId, start: seconds * 1000 })))
    .filter(({ start }) => start >= from && start < end);
  const to = Math.min(end, ...outdated.map(({ start }) => start).filter((start) => start >= now - tail));
  const within = outdated.filter(({ start }) => start < to);
  if (to <= from || within.length > maxStaleDays) return undefined;
  return {
    from: instantText(from),
    to: instantText(to),
    sources: inScope,
    everyDevice: everyDevice && inScope.every(({ whole }) => whole),
    stale: within,
  };
};

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
  readonly gaps: readonly Gap[];
  readonly paths: BlockPaths;
}

/** Days of a product without valid blocks; both times are in milliseconds. */
export interface Gap extends Stale {
  readonly until: number;
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

/** Maximum number of spans of days within the range that are read from records. */
const maxGaps = 100;

/**
 * Length of the tail before now, in milliseconds, that is read from records as a whole if a day of it has no valid
 * blocks.
 */
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
  const within = { from: Math.ceil(span.from / dayMs) * dayMs, until: Math.floor(span.to / dayMs) * dayMs };
  const valid = new Map(inScope.map((one) => [one.productId, validOf(one, stale, within)]));
  const products = productIds.length > 0 ? productIds : new Set([...valid.keys(), ...stale.keys()]);
  const all = [...products].flatMap((id) => gapsOf(id, valid.get(id) ?? [], within));
  const from = Math.min(...[...valid.values()].flatMap(([first]) => first ?? []));
  const to = Math.min(within.until, ...all.map(({ start }) => start).filter((start) => start >= now - tail));
  const gaps = all
    .map(({ start, until, ...gap }) => ({ ...gap, start: Math.max(start, from), until: Math.min(until, to) }))
    .filter(({ start, until }) => start < until);
  if (to <= from || gaps.length > maxGaps) return undefined;
  return {
    from: instantText(from),
    to: instantText(to),
    sources: inScope,
    everyDevice: everyDevice && inScope.every(({ whole }) => whole),
    gaps,
  };
};

/** Returns the starts of a product's days in a span that have valid blocks, in milliseconds, in ascending order. */
const validOf = (
  { productId, days }: BlockSource,
  stale: Blocks['stale'],
  { from, until }: Pick<Gap, 'until'> & { from: number },
): number[] => {
  const noted = new Set(stale.get(productId));
  const starts = days.filter((day) => !noted.has(day)).map((day) => day * 1000);
  return starts.filter((start) => start >= from && start < until);
};

/** Returns the spans between valid days. */
const gapsOf = (
  productId: string | null,
  valid: readonly number[],
  { from, until: end }: Pick<Gap, 'until'> & { from: number },
): Gap[] => {
  const starts = [from, ...valid.map((day) => day + dayMs)];
  return starts
    .map((start, index) => ({ productId, start, until: valid[index] ?? end }))
    .filter(({ start, until }) => start < until);
};

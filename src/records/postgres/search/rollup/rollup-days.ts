import { dayMs, weekMs } from '#common/time.js';
import { weekStart } from '#records/postgres/week.js';
import { instantText } from '#search/query/option/instant.js';
import type { LeftOut, ReplacedDay, RollupRange, Stale } from './rollup-range.js';
import type { Sources } from './sources.js';

/**
 * Minimum number of whole days. Fewer are as fast to read by the hour, and so are all days if more than {@link
 * maxStaleDays} are stale.
 */
export const fewestDays = 3;

const maxStaleDays = 500;

/** A time span in milliseconds; the end is exclusive. */
export interface MillisRange {
  readonly from: number;
  readonly until: number;
}

const keyOf = ({ productId, start }: Stale): string => `${productId}/${start}`;

/** Returns the distinct days in a time span to which hours or days of the products belong. */
export const daysAmong = (
  some: readonly Stale[],
  { from, until }: MillisRange,
  products: readonly (string | null)[],
): Stale[] => {
  const found = some
    .map(({ productId, start }) => ({ productId, start: Math.floor(start / dayMs) * dayMs }))
    .filter(({ productId, start }) => start >= from && start < until && products.includes(productId));
  return [...new Map(found.map((one) => [keyOf(one), one])).values()];
};

/** Days that blocks replace, and whether the blocks may be read. */
interface Replaced {
  readonly valid: readonly ReplacedDay[];
  readonly stale: readonly ReplacedDay[];
}

/** Tells the days whose blocks may be read from the others. */
export const replacedOf = (
  { blocks }: { readonly blocks?: boolean },
  { staleBlocks }: Sources,
  { replaced = [] }: LeftOut,
): Replaced => {
  const isValid = ({ productId, start }: ReplacedDay) =>
    blocks === true && staleBlocks.get(productId)?.includes(start / 1000) !== true;
  const { valid = [], stale = [] } = Object.groupBy(replaced, (day) => (isValid(day) ? 'valid' : 'stale'));
  return { valid, stale };
};

/** Returns the days that others do not contain. */
export const without = <Day extends Stale>(days: readonly Day[], others: readonly Stale[]): Day[] => {
  const known = new Set(others.map(keyOf));
  return days.filter((day) => !known.has(keyOf(day)));
};

/** Returns the whole days of a time span; undefined if there are too few, or too many stale ones. */
export const daysOf = (
  range: MillisRange,
  products: readonly (string | null)[],
  stale: readonly Stale[],
  replaced: Replaced,
): RollupRange['days'] => {
  const from = Math.ceil(range.from / dayMs) * dayMs;
  const to = Math.floor(range.until / dayMs) * dayMs;
  if (to - from < fewestDays * dayMs) return undefined;
  const outdated = daysAmong([...stale, ...replaced.stale], { from, until: to }, products);
  if (outdated.length > maxStaleDays) return undefined;
  const valid = without(replaced.valid, outdated).filter(({ start }) => start >= from && start < to);
  return { from: instantText(from), to: instantText(to), stale: outdated, replaced: valid };
};

/**
 * Returns the whole weeks of a time span, and the weeks that have a stale day; undefined if there are no whole weeks.
 */
export const weeksOf = ({ from, until }: MillisRange, outdated: readonly Stale[]): RollupRange['weeks'] => {
  const [first, end] = [weekStart(from + weekMs - 1), weekStart(until)];
  if (end <= first) return undefined;
  const stale = outdated.map(({ productId, start }) => ({ productId, start: weekStart(start) }));
  return { from: instantText(first), to: instantText(end), stale };
};

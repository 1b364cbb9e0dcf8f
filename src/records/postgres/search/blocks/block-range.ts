import { dayMs } from '#common/time.js';
import { instantText } from '#search/query/option/instant.js';
import type { BlockPaths } from './block-path.js';
import type { BlockSource, Blocks } from './find-blocks.js';

/** The days that a query reads from blocks, and where it reads rows. */
export interface BlockRange {
  readonly sources: readonly BlockSource[];
  /** Whether the query covers all devices of the products. */
  readonly everyDevice: boolean;
  /** Days that are read from blocks. */
  readonly spans: readonly DaySpan[];
  /** Time of the rows that are read; any time without it. */
  readonly rows?: RowRange;
  readonly paths: BlockPaths;
}

/** The time in which a query reads rows: before and after some days, and on some of these days. */
interface RowRange {
  /** Start of the first day, and end of the last, as ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly gaps: readonly DaySpan[];
}

/** Successive days of a product; both times are in milliseconds. */
export interface DaySpan {
  readonly productId: string | null;
  readonly start: number;
  readonly until: number;
}

/** A time span in milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Products and devices that a query reads. */
interface Question {
  /** Empty: every product, and records without a product. */
  readonly productIds: readonly string[];
  readonly deviceIds: readonly string[];
  /** Whether these are all devices of the application. */
  readonly everyDevice: boolean;
  /** The time that matching records can be in. */
  readonly span: Span;
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

/**
 * Chooses the days to read from blocks where rows hold them, too; undefined if rows are faster.
 * @param alone the days that only blocks hold, which are added
 */
export const blockDays = (
  { productIds, deviceIds, everyDevice, span, now }: Question,
  { sources, stale }: Blocks,
  alone: readonly DaySpan[],
): Omit<BlockRange, 'paths'> | undefined => {
  const inScope = sourcesOf(sources, productIds);
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
  const read = [...valid].flatMap(([id, days]) =>
    spansOf(
      id,
      days.filter((day) => day < to),
    ),
  );
  return {
    sources: inScope,
    everyDevice: everyDevice && inScope.every(({ whole }) => whole),
    spans: [...read, ...alone],
    rows: { from: instantText(from), to: instantText(to), gaps },
  };
};

/** Finds the days that only blocks hold, apart from late records; undefined without any. */
export const aloneDays = (
  productIds: readonly string[],
  { from, to }: Span,
  { sources }: Blocks,
): Omit<BlockRange, 'paths'> | undefined => {
  const isWithin = (day: number) => day + dayMs > from && day <= to;
  const found = sourcesOf(sources, productIds).map((source) => ({
    source,
    days: source.alone.map((day) => day * 1000).filter(isWithin),
  }));
  const inScope = found.filter(({ days }) => days.length > 0);
  if (inScope.length === 0) return undefined;
  return {
    sources: inScope.map(({ source }) => source),
    everyDevice: inScope.every(({ source: { whole } }) => whole),
    spans: inScope.flatMap(({ source: { productId }, days }) => spansOf(productId, days)),
  };
};

const sourcesOf = (sources: readonly BlockSource[], productIds: readonly string[]): BlockSource[] =>
  sources.filter(({ productId }) => productIds.length === 0 || (productId !== null && productIds.includes(productId)));

/**
 * Returns the starts of a product's days in a span that have valid blocks beside their rows, in milliseconds, in
 * ascending order.
 */
const validOf = (
  { productId, days, alone }: BlockSource,
  stale: Blocks['stale'],
  { from, until }: Pick<DaySpan, 'until'> & { from: number },
): number[] => {
  const others = new Set([...(stale.get(productId) ?? []), ...alone]);
  const starts = days.filter((day) => !others.has(day)).map((day) => day * 1000);
  return starts.filter((start) => start >= from && start < until);
};

/** Returns the spans between valid days. */
const gapsOf = (
  productId: string | null,
  valid: readonly number[],
  { from, until: end }: Pick<DaySpan, 'until'> & { from: number },
): DaySpan[] => {
  const starts = [from, ...valid.map((day) => day + dayMs)];
  return starts
    .map((start, index) => ({ productId, start, until: valid[index] ?? end }))
    .filter(({ start, until }) => start < until);
};

/** Joins successive days, which are in ascending order. */
const spansOf = (productId: string | null, days: readonly number[]): DaySpan[] => {
  const spans: { start: number; until: number }[] = [];
  for (const start of days) {
    const last = spans.at(-1);
    if (last?.until === start) last.until += dayMs;
    else spans.push({ start, until: start + dayMs });
  }
  return spans.map((span) => ({ productId, ...span }));
};

/** Narrows spans to the days that a time span touches; an end that is NaN narrows nothing. */
export const spansWithin = (spans: readonly DaySpan[], { from, to }: Span): DaySpan[] =>
  spans.flatMap(({ productId, start, until }) => {
    const first = from > start ? Math.floor(from / dayMs) * dayMs : start;
    const end = to < until ? (Math.floor(to / dayMs) + 1) * dayMs : until;
    return first < end ? [{ productId, start: Math.max(start, first), until: Math.min(until, end) }] : [];
  });

/** A time of which records are wanted, of all products or of one. The end is exclusive. */
export interface Wanted {
  readonly productId?: string | null;
  readonly from: number;
  readonly until: number;
}

/** Narrows spans to the days that some times touch, each day once. */
export const wantedSpans = (spans: readonly DaySpan[], wanted: readonly Wanted[]): DaySpan[] => {
  const days = new Map<string | null, Set<number>>();
  for (const { productId, from, until } of wanted) {
    const ofProduct = spans.filter((span) => productId === undefined || span.productId === productId);
    for (const span of spansWithin(ofProduct, { from, to: until - 1 })) {
      const known = days.get(span.productId) ?? new Set();
      days.set(span.productId, known);
      for (let day = span.start; day < span.until; day += dayMs) known.add(day);
    }
  }
  return [...days].flatMap(([productId, starts]) =>
    spansOf(
      productId,
      [...starts].toSorted((a, b) => a - b),
    ),
  );
};

/** Splits spans into days that lie whole within a time range, and the first and last one if they do not. */
export const splitSpans = (
  spans: readonly DaySpan[],
  { from, to }: { readonly from: string; readonly to: string },
): { whole: DaySpan[]; partial: DaySpan[] } => {
  const [first, end] = [wholeFrom(from), wholeUntil(to)];
  const parts = spans.flatMap(({ productId, start, until }) => {
    const [lower, upper] = [Math.min(until, Math.max(start, first)), Math.max(start, Math.min(until, end))];
    if (lower >= upper) return [{ productId, start, until, isWhole: false }];
    return [
      { productId, start, until: lower, isWhole: false },
      { productId, start: lower, until: upper, isWhole: true },
      { productId, start: upper, until, isWhole: false },
    ];
  });
  const of = (isWhole: boolean) =>
    parts
      .filter((part) => part.isWhole === isWhole && part.start < part.until)
      .map(({ productId, start, until }) => ({ productId, start, until }));
  return { whole: of(true), partial: of(false) };
};

/** Microseconds of an instant of ISO 8601 that follow its milliseconds. */
const microsecondsOf = (instant: string): number => Number(/\.\d{3}(\d{3})Z$/.exec(instant)?.[1] ?? 0);

/** Returns the first midnight from an instant on; for one beyond JavaScript's dates, no day is whole. */
const wholeFrom = (from: string): number => {
  const first = Math.ceil((Date.parse(from) + (microsecondsOf(from) > 0 ? 1 : 0)) / dayMs) * dayMs;
  return Number.isNaN(first) ? Number.POSITIVE_INFINITY : first;
};

/** Returns the last midnight before which all microseconds are included. */
const wholeUntil = (to: string): number => {
  const isLast = microsecondsOf(to) === 999;
  const end = Math.floor((Date.parse(to) + (isLast ? 1 : 0)) / dayMs) * dayMs;
  return Number.isNaN(end) ? Number.NEGATIVE_INFINITY : end;
};

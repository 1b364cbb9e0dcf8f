import sql from 'sql-template-tag';
import { daySeconds, hourSeconds } from '#common/time.js';
import type { GroupPlan } from '#records/answer/group-plan.js';
import type { FleetLevel } from '#records/blocks/fleet-sum.js';
import { midnightsOf } from '#records/blocks/run.js';
import { type Month, monthOf, nameOfMonth, versionOf } from '#records/postgres/blocks/fleet-month.js';
import { readNotes } from '#records/postgres/search/stale-notes.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import type { UnixRange } from '#records/series-interval.js';
import { utc, zoneOf } from '#search/date/zone.js';
import type { VariableFact } from '../fact.js';
import { mergeSpans, readActive, readBlockedDays, type SumDay } from '../sum-day.js';

/** Sums of all devices of a product, of a UTC day or a local month, that answer a part of a range. */
export interface Tile {
  readonly source: number;
  readonly slot: number;
  readonly productId: string;
  readonly level: FleetLevel;
  /** The day, or the first one of the month, as days since 1970. */
  readonly day: number;
  /** Segments that begin before this time or from the other one on are not read, in Unix seconds. */
  readonly from: number;
  readonly to: number;
}

/** The parts of a range by how they are read. */
export interface TilePlan {
  /** In order of time. */
  readonly tiles: readonly Tile[];
  /** The days that tiles have, of each product. */
  readonly days: readonly SumDay[];
  /** Spans in which some product has records that no tile has. */
  readonly spans: readonly UnixRange[];
  /** Time from which tiles and records are read: before the range, if values before it are wanted. */
  readonly valuesFrom: number;
}

/** Maximum number of days of a range that tiles answer. */
const mostDays = 20 * 366;

/**
 * Finds the sums of all devices that answer a part of a range; undefined if there are none.
 * @param withLead whether the last values before the range are wanted
 */
export const planTiles = async (
  rows: Rows,
  organizationId: string,
  numeric: readonly VariableFact[],
  plan: GroupPlan,
  withLead: boolean,
): Promise<TilePlan | undefined> => {
  const facts = numeric.filter(({ slot }) => slot !== null);
  const begun = Math.floor((plan.since - (withLead ? 1e-6 : 0)) / daySeconds) * daySeconds;
  if (facts.length === 0 || plan.to - begun > mostDays * daySeconds) return undefined;
  const valuesFrom = withLead ? begun : plan.since;
  const days = { from: new Date(begun * 1000).toISOString(), to: new Date(plan.to * 1000).toISOString() };
  const [blocked, active, notes, sources] = await Promise.all([
    readBlockedDays(rows, organizationId, facts, { from: begun, to: plan.to }),
    readActive(rows, organizationId, facts),
    readNotes(rows, { organizationId, days }),
    readSources(rows, organizationId, facts),
  ]);
  if (!blocked.some(({ isSummed }) => isSummed)) return undefined;
  const bounds = [...new Set([plan.before, ...plan.starts, plan.since, plan.to])].toSorted((a, b) => a - b);
  const tiles: Tile[] = [];
  const covered: SumDay[] = [];
  const gaps: UnixRange[] = [];
  for (const { productId, slot } of facts) {
    const found = sources.get(productId);
    if (found === undefined) {
      if (active.includes(productId)) gaps.push({ from: valuesFrom, to: plan.to });
      continue;
    }
    // A day without blocks and without a note has no records.
    const own = blocked.filter((day) => day.productId === productId);
    const noted = new Set(notes.blocks.get(productId));
    const place = { source: found.source, slot: slot!, productId };
    const usable = new Map<number, Tile>();
    for (const { day, timeZone, isSummed, alone } of own) {
      const level = isSummed && !noted.has(day) ? levelOf(day, timeZone, bounds) : undefined;
      if (level === undefined) continue;
      usable.set(day, { ...place, level, day: day / daySeconds, from: valuesFrom, to: plan.to });
      covered.push({ ...place, day, alone });
    }
    const stale = [...noted, ...own.map(({ day }) => day)].filter((day) => !usable.has(day));
    for (const day of stale) {
      const gap = { from: Math.max(day, valuesFrom), to: Math.min(day + daySeconds, plan.to) };
      if (gap.from < gap.to) gaps.push(gap);
    }
    const whole = monthsOf(own, new Set(stale), found.months, { bounds, ...plan });
    for (const month of whole)
      tiles.push({ ...place, level: 'm', day: nameOfMonth(month), from: month.start, to: month.end });
    tiles.push(...[...usable.values()].flatMap((tile) => cut(tile, whole)));
  }
  if (covered.length === 0) return undefined;
  return {
    tiles: tiles.filter(({ from, to }) => from < to),
    days: covered,
    spans: mergeSpans(gaps),
    valuesFrom,
  };
};

/** Returns the longest segments that lie in one bucket or outside the range; undefined if hours do not. */
const levelOf = (day: number, timeZone: string, bounds: readonly number[]): 'd' | 'h' | undefined => {
  const inside = bounds.filter((bound) => bound > day && bound < day + daySeconds);
  if (inside.length === 0) return 'd';
  const cuts = new Set(midnightsOf(zoneOf(timeZone) ?? utc, day * 1000, (day + daySeconds) * 1000));
  if (inside.every((bound) => cuts.has(bound * 1e6))) return 'd';
  return inside.every((bound) => bound % hourSeconds === 0 || cuts.has(bound * 1e6)) ? 'h' : undefined;
};

/** Returns the months that lie in one bucket each and whose sums are those of its days. */
const monthsOf = (
  own: readonly { day: number; timeZone: string; made: number }[],
  stale: ReadonlySet<number>,
  versions: ReadonlyMap<number, string>,
  { bounds, since, to }: Pick<GroupPlan, 'since' | 'to'> & { bounds: readonly number[] },
): Month[] => {
  if (own.length === 0 || versions.size === 0) return [];
  const { timeZone } = own[0]!;
  const found: Month[] = [];
  for (
    let month = monthOf(own[0]!.day / daySeconds, timeZone);
    month.start < to;
    month = monthOf(month.last + 15, timeZone)
  ) {
    const days = own.filter(({ day }) => day >= month.first * daySeconds && day <= month.last * daySeconds);
    if (month.start < since || month.end > to || days.length === 0) continue;
    if (bounds.some((bound) => bound > month.start && bound < month.end)) continue;
    if (days.some((day) => stale.has(day.day) || day.timeZone !== timeZone)) continue;
    if ([...stale].some((day) => day >= month.first * daySeconds && day <= month.last * daySeconds)) continue;
    const version = versionOf(days.map(({ day, made }) => ({ day: day / daySeconds, made })));
    if (versions.get(nameOfMonth(month)) === version) found.push(month);
  }
  return found;
};

/** Returns the parts of a day that no month has. */
const cut = (tile: Tile, months: readonly Month[]): Tile[] => {
  const [start, end] = [tile.day * daySeconds, (tile.day + 1) * daySeconds];
  let parts = [{ from: Math.max(start, tile.from), to: Math.min(end, tile.to) }];
  for (const month of months) {
    if (month.end <= start || month.start >= end) continue;
    parts = parts.flatMap(({ from, to }) => [
      { from, to: Math.min(to, month.start) },
      { from: Math.max(from, month.end), to },
    ]);
  }
  return parts.filter(({ from, to }) => from < to).map((part) => ({ ...tile, ...part }));
};

interface BlockSource {
  source: number;
  /** Versions of the sums of months, by their first day. */
  months: Map<number, string>;
}

/** Reads the numbers of products that have blocks. */
const readSources = async (
  rows: Rows,
  organizationId: string,
  facts: readonly VariableFact[],
): Promise<Map<string, BlockSource>> => {
  const found = await rows<{ productId: string; source: number; day: number | null; version: string }>(
    sql`
    select s.product_id as "productId", s.source, f.day - 'epoch'::date as day, convert_from(f.cells, 'UTF8') as version
      from record_block_source s left join record_fleet_sum f on f.source = s.source and f.slot = 0 and f.level = 'm' and f.part = 'v'
     where s.organization_id = ${organizationId}::uuid and s.product_id = any(${facts.map(({ productId }) => productId)}::uuid[])`,
    'group sources',
  );
  const sources = new Map<string, BlockSource>();
  for (const { productId, source, day, version } of found) {
    const known = sources.get(productId) ?? { source, months: new Map<number, string>() };
    sources.set(productId, known);
    if (day !== null) known.months.set(day, version);
  }
  return sources;
};

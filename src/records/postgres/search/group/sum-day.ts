import sql from 'sql-template-tag';
import { daySeconds } from '#common/time.js';
import type { GroupPlan } from '#records/answer/group-plan.js';
import { midnightsOf } from '#records/blocks/run.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import type { UnixRange } from '#records/series-interval.js';
import { utc, zoneOf } from '#search/date/zone.js';
import type { VariableFact } from './fact.js';

/** A UTC day of a product whose blocks answer with sums by run: each run lies in one bucket, or outside the range. */
export interface SumDay {
  readonly source: number;
  readonly productId: string;
  readonly slot: number;
  /** Unix seconds. */
  readonly day: number;
  readonly alone: boolean;
}

/** Days that are read from sums, and the spans of time that are read from records. */
export interface SumDays {
  readonly days: readonly SumDay[];
  /** Spans in which some product has records that no sum has. The end is exclusive. */
  readonly spans: readonly UnixRange[];
  /**
   * Time from which values are read: before the range, if the last values before it are wanted and no sum ends there.
   */
  readonly valuesFrom: number;
}

/** A UTC day in blocks. Times are in Unix seconds. */
export interface BlockedDay {
  source: number;
  productId: string;
  day: number;
  timeZone: string;
  alone: boolean;
  /** When its blocks were made. */
  made: number;
  /** Whether it has sums of all devices. */
  isSummed: boolean;
}

/**
 * Finds the days of a range that sums answer; undefined without any.
 * @param withLead whether the day before the range is wanted, too
 */
export const findSumDays = async (
  rows: Rows,
  organizationId: string,
  facts: readonly VariableFact[],
  plan: GroupPlan,
  withLead: boolean,
): Promise<SumDays | undefined> => {
  const stored = facts.filter(({ slot }) => slot !== null);
  if (stored.length === 0) return undefined;
  const [valid, active] = await Promise.all([
    readBlockedDays(rows, organizationId, stored, { from: plan.since - (withLead ? daySeconds : 0), to: plan.to }),
    readActive(rows, organizationId, stored),
  ]);
  const slots = new Map(stored.map(({ productId, slot }) => [productId, slot!]));
  const bounds = [plan.before, ...plan.starts, plan.since, plan.to];
  const usable = valid
    .filter((day) => isUsable(day, bounds))
    .map(
      ({ source, productId, day, alone }): SumDay => ({ source, productId, day, alone, slot: slots.get(productId)! }),
    );
  const begun = plan.since - (plan.since % daySeconds);
  // A product whose sums do not end at the range's start has the last values before it among the records of that day.
  const isCut = begun < plan.since && usable.filter(({ day }) => day === begun).length < active.length;
  const valuesFrom = withLead && isCut ? begun : plan.since;
  const days = valuesFrom < plan.since ? usable.filter(({ day }) => day !== begun) : usable;
  if (days.length === 0) return undefined;
  return { days, spans: spansOf(active, days, { ...plan, since: valuesFrom }), valuesFrom };
};

/** Reads the days whose blocks have all records, as one snapshot sees them. */
export const readBlockedDays = (
  rows: Rows,
  organizationId: string,
  facts: readonly VariableFact[],
  { from, to }: UnixRange,
): Promise<BlockedDay[]> =>
  rows<BlockedDay>(
    sql`
    select s.source, s.product_id as "productId", extract(epoch from b.day)::float8 as day, b.time_zone as "timeZone", b.alone,
           extract(epoch from b.made_at)::float8 as made, coalesce(b.summed_at = b.made_at, false) as "isSummed"
      from record_block_source s join record_blocked b using (source)
     where s.organization_id = ${organizationId}::uuid and s.product_id = any(${facts.map(({ productId }) => productId)}::uuid[])
       and b.day >= (to_timestamp(${from}::float8) at time zone 'UTC')::date and b.day <= (to_timestamp(${to}::float8) at time zone 'UTC')::date
       and not exists (
         select from record_dirty_block n where n.organization_id = s.organization_id and n.product_id = s.product_id
           and n.day = b.day::timestamp at time zone 'UTC')
       and not exists (
         select from record_dirty n where n.organization_id = s.organization_id and n.product_id = s.product_id
           and n.hour >= b.day::timestamp at time zone 'UTC' and n.hour < (b.day + 1)::timestamp at time zone 'UTC')
     order by s.source, b.day`,
    'group days',
  );

/** Reads which products have records. */
export const readActive = async (
  rows: Rows,
  organizationId: string,
  facts: readonly VariableFact[],
): Promise<string[]> => {
  const found = await rows<{ id: string }>(
    sql`
    select id from unnest(${facts.map(({ productId }) => productId)}::uuid[]) p (id)
     where exists (select from record_source o where o.organization_id = ${organizationId}::uuid and o.product_id = p.id)
        or exists (select from record_dirty n where n.organization_id = ${organizationId}::uuid and n.product_id = p.id)`,
    'group products',
  );
  return found.map(({ id }) => id);
};

/** Whether each bound within a day is one at which runs end: a midnight of the zone in which its blocks were cut. */
const isUsable = ({ day, timeZone }: BlockedDay, bounds: readonly number[]): boolean => {
  const inside = bounds.filter((bound) => bound > day && bound < day + daySeconds);
  if (inside.length === 0) return true;
  const cuts = new Set(midnightsOf(zoneOf(timeZone) ?? utc, day * 1000, (day + daySeconds) * 1000));
  return inside.every((bound) => cuts.has(bound * 1e6));
};

/** Returns the spans of a range in which a product has no usable day. */
const spansOf = (products: readonly string[], days: readonly SumDay[], { since, to }: GroupPlan): UnixRange[] => {
  const byProduct = Map.groupBy(days, ({ productId }) => productId);
  const gaps = products.flatMap((product) => {
    const starts = (byProduct.get(product) ?? []).map(({ day }) => day).filter((day) => day + daySeconds > since);
    const edges = [since, ...starts.map((day) => day + daySeconds)];
    return edges
      .map((from, index) => ({ from, to: Math.min(starts[index] ?? to, to) }))
      .filter((gap) => gap.from < gap.to);
  });
  return mergeSpans(gaps);
};

/** Joins spans that touch or overlap. */
export const mergeSpans = (spans: readonly UnixRange[]): UnixRange[] => {
  const merged: { from: number; to: number }[] = [];
  for (const gap of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && gap.from <= last.to) last.to = Math.max(last.to, gap.to);
    else merged.push({ ...gap });
  }
  return merged;
};

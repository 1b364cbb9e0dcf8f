import sql from 'sql-template-tag';
import { answersOf, type MatchedRecords } from '#alerts/answer-queries.js';
import {
  type Follower,
  followSilence,
  followThreshold,
  mostAhead,
  type PreviewAnswers,
  type Previewed,
  type PreviewRecord,
} from '#alerts/preview.js';
import { ApiError } from '#common/errors.js';
import { weekSeconds } from '#common/time.js';
import type { AlertCondition } from '#entities/alert-condition.js';
import type { AlertRulePreview, PreviewedEpisode } from '#entities/alert-preview.js';
import { AlertKind, type AlertRule } from '#entities/alert-rule.js';
import type { ReadingCall } from '#entities/caller.js';
import { timeOf } from '#entities/id.js';
import { PreviewStop } from '#entities/text-enums.js';
import type { ListedRecord, RecordIndex } from '#records/record-index.js';
import type { StoredRecords } from '#records/record-log.js';
import type { Context } from '#schema/context.js';

/** Sources of a preview's records. */
export interface PreviewSources {
  index: Pick<RecordIndex, 'list'>;
  stored: Pick<StoredRecords, 'decideCommitted'>;
  /** Maximum duration in milliseconds. */
  timeoutMs: number;
}

/** Limits of one preview. */
const maxDevices = 1000;
const maxRecords = 200_000;
const maxEpisodes = 500;
/** Maximum numbers of devices and records per read: about 5 MB, at 500 bytes per record. */
const devicesAtOnce = 10;
const recordsAtOnce = 1000;
/** Timeout of the queries of a condition for one page, in milliseconds. */
const matchTimeout = 2000;

interface Watched {
  id: string;
  productId: string | null;
  /** Time of the link in Unix seconds. Before it, the rule did not watch the device. */
  linkedAt: number;
}

/** Previews a rule over the week before a time (milliseconds since 1970). */
export async function previewOf(
  ctx: Context,
  sources: PreviewSources,
  rule: AlertRule,
  now: number,
): Promise<AlertRulePreview> {
  const to = now / 1000;
  const from = to - weekSeconds;
  const watched = await watchedBy(ctx, rule);
  if (rule.kind === AlertKind.unsettled) return openNow(ctx, rule, watched, { from, to });
  const reading = new Reading(ctx, sources, rule, { from, to, until: performance.now() + sources.timeoutMs });
  const all: [Watched, Previewed[]][] = [];
  for (let first = 0; first < Math.min(watched.length, maxDevices); first += devicesAtOnce) {
    if (reading.isOver()) break;
    const devices = watched.slice(first, Math.min(first + devicesAtOnce, maxDevices));
    const followers = devices.map(({ linkedAt }) =>
      rule.kind === AlertKind.silence ? followSilence(rule, Math.max(from, linkedAt)) : followThreshold(rule),
    );
    await reading.read(devices, followers);
    devices.forEach((device, index) => all.push([device, followers[index]!.end(to)]));
  }
  const stop = reading.stop ?? (watched.length > maxDevices ? PreviewStop.devices : undefined);
  const opened = all.filter(([, episodes]) => episodes.length > 0);
  return {
    from: isoOf(from),
    to: isoOf(to),
    episodeCount: opened.reduce((count, [, episodes]) => count + episodes.length, 0),
    deviceCount: opened.length,
    devicesRead: all.length,
    recordsRead: reading.count,
    isComplete: stop === undefined,
    incompleteReason: stop ?? null,
    episodes: opened
      .flatMap(([{ id }, episodes]) => episodes.map((episode) => shown(id, episode)))
      .slice(0, maxEpisodes),
  };
}

/**
 * Previews a rule about desired state: the episodes that would be open. Which devices had not reported an earlier desired
 * value is not kept.
 */
async function openNow(
  ctx: Context,
  { unsettledFor, stateName }: AlertRule,
  watched: readonly Watched[],
  { from, to }: { from: number; to: number },
): Promise<AlertRulePreview> {
  const ids = watched.slice(0, maxDevices).map(({ id }) => id);
  const rows = (await ctx.readWithin(
    sql`
    select d.id, extract(epoch from u.since)::float8 as since
      from unnest(${ids}::uuid[]) with ordinality d (id, place)
     cross join lateral (select state_unsettled_since(d.id, ${stateName}) as since) u
     where u.since <= to_timestamp(${to - unsettledFor!}::float8) order by d.place`,
    5000,
  )) as { id: string; since: number }[];
  return {
    from: isoOf(from),
    to: isoOf(to),
    episodeCount: rows.length,
    deviceCount: rows.length,
    devicesRead: ids.length,
    recordsRead: 0,
    isComplete: false,
    incompleteReason: watched.length > maxDevices ? PreviewStop.devices : PreviewStop.history,
    episodes: rows
      .slice(0, maxEpisodes)
      .map(({ id, since }) =>
        shown(id, { openedAt: since + unsettledFor!, openedBy: null, closedAt: null, closedBy: null }),
      ),
  };
}

const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

const shown = (deviceId: string, { openedAt, openedBy, closedAt, closedBy }: Previewed): PreviewedEpisode => ({
  deviceId,
  openedAt: isoOf(openedAt),
  openedBy,
  closedAt: closedAt === null ? null : isoOf(closedAt),
  closedBy,
});

/**
 * Returns the devices of the application that the rule would watch. If there are more than a preview covers, it returns
 * one more than that.
 */
async function watchedBy(ctx: Context, { applicationId, products, tags, sites }: AlertRule): Promise<Watched[]> {
  return (await ctx.readWithin(
    sql`
    select d.id, d.product_id as "productId", extract(epoch from l.created_at)::float8 as "linkedAt"
      from application_device l join device d on d.id = l.device_id
     where l.application_id = ${applicationId} and alert_applies(${products}::text[], ${tags}::text[], ${sites}::text[], d.product_id, d.tags, d.id)
     order by l.created_at, d.id limit ${maxDevices + 1}`,
    5000,
  )) as Watched[];
}

interface ReadingRange {
  from: number;
  to: number;
  /** End of the time for reading, by `performance.now`. */
  until: number;
}

/** Reads the records of devices page by page, and passes each device's records to its follower. */
class Reading {
  count = 0;
  /** Reason why the reading stopped early; undefined if it did not. */
  stop: keyof typeof PreviewStop | undefined;
  private readonly call: ReadingCall;

  constructor(
    { caller, signal }: Context,
    private readonly sources: PreviewSources,
    private readonly rule: AlertRule,
    private readonly range: ReadingRange,
  ) {
    // Rows are not weighed here: each page is released before the next one is read, so the total says nothing about the
    // memory in use.
    this.call = { caller, signal, weighRows: () => undefined, timeLeft: () => this.timeLeft() };
  }

  /** Whether reading stops, because the time or the number of records is used up. Notes the reason. */
  isOver(): boolean {
    if (this.timeLeft() <= 0) this.stop ??= PreviewStop.time;
    else if (this.count >= maxRecords) this.stop ??= PreviewStop.records;
    else return false;
    return true;
  }

  async read(devices: readonly Watched[], followers: readonly Follower[]): Promise<void> {
    const pages = await this.list(devices.map(({ id }) => id));
    for (const [index, device] of devices.entries()) {
      let page = pages?.[index];
      while (page !== undefined) {
        await this.take(device, page.records, followers[index]!);
        const after = page.records.at(-1)?.cursorKeys;
        if (!page.hasMore || after === undefined) break;
        page = (await this.list([device.id], after))?.[0];
      }
    }
  }

  /** Returns a page for each device; undefined when the time is over. */
  private async list(parentIds: readonly string[], after?: ListedRecord['cursorKeys']) {
    if (!this.isOver()) {
      // A record ahead of now counts at its arrival.
      const [from, to] = [this.range.from, this.range.to + mostAhead];
      const place = { parent: 'device', order: 'oldestFirst', page: 1, limit: recordsAtOnce } as const;
      const request = { ...place, parentIds, from, to, timeoutMs: this.timeLeft(), ...(after && { after }) };
      try {
        return await this.sources.index.list(this.call, request);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'TIMEOUT') throw error;
        this.stop ??= PreviewStop.time;
      }
    }
    return undefined;
  }

  private async take(device: Watched, records: readonly ListedRecord[], follower: Follower): Promise<void> {
    this.count += records.length;
    const seen = records.map(({ id, ts, data }): PreviewRecord => ({ id, ts, arrivedAt: timeOf(id) / 1000, data }));
    follower.take(seen, await this.answers(device, seen));
  }

  private async answers({ id, productId }: Watched, records: readonly PreviewRecord[]): Promise<PreviewAnswers> {
    const { when, until, organizationId } = this.rule;
    const asked = [when, until].flatMap((condition) => (condition?.query == null ? [] : [condition]));
    const found = new Map<AlertCondition, MatchedRecords>();
    if (asked.length > 0 && records.length > 0) {
      const device = { id, organizationId, ...(productId && { product: { id: productId } }) };
      const decided = await this.sources.stored.decideCommitted(
        asked.map(({ query }) => query!),
        records.map(({ id: recordId, ts }) => ({ id: recordId, ts, device })),
        matchTimeout,
      );
      asked.forEach((condition, index) => found.set(condition, decided[index]!));
      if (decided.some(({ timedOut }) => timedOut)) this.stop ??= PreviewStop.query;
    }
    return answersOf(found);
  }

  private timeLeft(): number {
    return Math.max(0, Math.floor(this.range.until - performance.now()));
  }
}

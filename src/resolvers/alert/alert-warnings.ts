import sql from 'sql-template-tag';
import type { AlertRule } from '#entities/alert-rule.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';

/** Numbers of devices and of records of each that are looked at. */
const devicesRead = 20;
const recordsRead = 21;
/** Minimum number of intervals that show how often a device sends. */
const enough = 3;
/** Timeout of reading records, in milliseconds. Without an answer in time there is no warning. */
const timeoutMs = 2000;

/**
 * Returns what a rule that was saved cannot do, by the newest records of its devices: `for` begins again after each gap
 * longer than `maxGap`, so it never passes for a device whose usual interval is longer.
 */
export async function warningsOf(
  ctx: Context,
  index: Pick<RecordIndex, 'list'>,
  { applicationId, products, tags, maxGap, for: held }: AlertRule,
): Promise<string[]> {
  if (held === 0) return [];
  const devices = await ctx.read<{ id: string }>(sql`
    select d.id from application_device l join device d on d.id = l.device_id
     where l.application_id = ${applicationId} and alert_applies(${[...products]}::text[], ${[...tags]}::text[], d.product_id, d.tags)
     order by l.created_at, d.id limit ${devicesRead}`);
  if (devices.length === 0) return [];
  const { caller, signal } = ctx;
  const call = { caller, signal, weighRows: () => undefined, timeLeft: () => timeoutMs };
  const place = { parent: 'device', order: 'newestFirst', page: 1, limit: recordsRead, timeoutMs } as const;
  const pages = await index.list(call, { ...place, parentIds: devices.map(({ id }) => id) }).catch(() => []);
  const usual = pages.flatMap(({ records }) => intervalOf(records.map(({ ts }) => ts)) ?? []);
  const rare = usual.filter((interval) => interval > maxGap);
  if (rare.length === 0) return [];
  const shortest = Math.round(Math.min(...rare));
  return [
    `\`for\` never passes for ${rare.length} of ${usual.length} devices: they send a record every ${shortest} s or less often, and it begins again after a gap of more than ${maxGap} s (\`maxGap\`). Make \`maxGap\` longer than their interval.`,
  ];
}

/** Returns the median interval of records, the newest first, in seconds; undefined if there are too few. */
function intervalOf(times: readonly number[]): number | undefined {
  const intervals = times.slice(1).map((ts, index) => times[index]! - ts);
  return intervals.length < enough ? undefined : intervals.sort((a, b) => a - b)[Math.floor(intervals.length / 2)];
}

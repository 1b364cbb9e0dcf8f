import { invalid } from '#common/errors.js';
import { daySeconds } from '#common/time.js';
import { DeviceReduction, GroupFill } from '#entities/group-series.js';
import { boundaries, type Rounding, roundingOf } from '#search/date/rounding.js';
import { requireZone, utc } from '#search/date/zone.js';
import type { GroupCall } from '../group-series.js';
import { intervalFor } from '../series-interval.js';

/** Maximum number of buckets of a line. */
const maxBuckets = 5000;
/** Maximum number of points of all lines of one call. */
export const maxGroupPoints = 50_000;

/** A resolved call. Times are Unix seconds. */
export interface GroupPlan {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** End of the range, or now if that is earlier. No number is kept and no state lasts beyond. */
  readonly reach: number;
  /**
   * Starts of the buckets, ascending. The first may lie before `from`. With `fill`, there are also buckets before the
   * range, whose numbers devices keep.
   */
  readonly starts: readonly number[];
  /** Start of the bucket before the first one. */
  readonly before: number;
  /** Time from which the values of buckets are read. */
  readonly since: number;
  /** Index of the first bucket of the answer. */
  readonly first: number;
  /** Length of the buckets in seconds, if they have one. */
  readonly interval: number | null;
}

/**
 * Resolves the defaults of a call. `now` is in Unix seconds.
 * @throws ApiError 422 if the request is invalid or would be too large
 */
export const planGroup = (call: GroupCall, now: number): GroupPlan => {
  const to = call.to ?? now;
  const from = call.from ?? to - daySeconds;
  if (from >= to) {
    const message = call.to == null ? 'must be before now, unless `to` is given' : 'must be before `to`';
    throw invalid([{ path: 'from', message }]);
  }
  const range = { from, to, reach: Math.min(to, now) };
  const form = formOf(call);
  if (form === undefined)
    return { ...range, starts: [from], before: from - (to - from), since: from, first: 0, interval: null };
  if (form === 'calendarInterval') {
    const rounding = roundingOf({ unit: call.calendarInterval! }, requireZone(call.timeZone));
    return { ...range, ...bucketed(call, range, rounding, form), interval: null };
  }
  const interval = form === 'interval' ? call.interval! : intervalFor({ from, to: to - 1e-6 }, call.points!);
  return { ...range, ...bucketed(call, range, roundingOf({ millis: interval * 1000 }, utc), form), interval };
};

type Form = 'interval' | 'calendarInterval' | 'points';

/** Returns the argument that says how long buckets are. */
const formOf = (call: GroupCall): Form | undefined => {
  const [form, second] = (['interval', 'calendarInterval', 'points'] as const).filter((name) => call[name] != null);
  if (second !== undefined) throw invalid([{ path: second, message: `must be left out beside \`${form}\`` }]);
  if (call.fill === GroupFill.previous) {
    if (!kept.has(call.perDevice))
      throw invalid([{ path: 'fill', message: `cannot be \`previous\` with \`perDevice: ${call.perDevice}\`` }]);
    if (form === undefined)
      throw invalid([{ path: 'fill', message: 'cannot be `previous` where the whole range is one bucket' }]);
  }
  return form;
};

/** Numbers that a silent device may keep. */
const kept: ReadonlySet<DeviceReduction> = new Set([
  DeviceReduction.avg,
  DeviceReduction.min,
  DeviceReduction.max,
  DeviceReduction.last,
]);

/** Creates the error of a call whose lines have too many points. */
export const tooManyPoints = (call: GroupCall) =>
  invalid([
    {
      path: formOf(call) ?? 'split',
      message: `is too fine: the lines have more than ${maxGroupPoints} points together`,
    },
  ]);

const bucketed = (
  { fill, maxAge }: GroupCall,
  { from, to }: Pick<GroupPlan, 'from' | 'to'>,
  rounding: Rounding,
  form: Form,
): Pick<GroupPlan, 'starts' | 'before' | 'since' | 'first'> => {
  const range = boundaries(rounding, Math.floor(from * 1000), Math.ceil(to * 1000) - 1, maxBuckets);
  if (range === undefined) {
    const message = `is too fine: a line has at most ${maxBuckets} points; ask for longer buckets or a shorter range`;
    throw invalid([{ path: form, message }]);
  }
  const isFilled = fill === GroupFill.previous;
  const earlier = isFilled ? boundaries(rounding, range[0]! - maxAge * 1000, range[0]! - 1, maxBuckets) : [];
  if (earlier === undefined) {
    throw invalid([{ path: 'maxAge', message: `is too long: it covers more than ${maxBuckets} buckets` }]);
  }
  const starts = [...earlier, ...range].map((instant) => instant / 1000);
  return {
    starts,
    before: rounding.round(starts[0]! * 1000 - 1) / 1000,
    since: isFilled ? starts[0]! : from,
    first: earlier.length,
  };
};

import { type ApiError, type Fault, invalid } from '#common/errors.js';
import { daySeconds } from '#common/time.js';
import { VariableType } from '#entities/enums.js';
import { SeriesFunction } from '#entities/series.js';
import type { Line, SeriesCall } from '../record-index.js';
import { bucketsIn, intervalFor, type UnixRange } from '../series-interval.js';

/** Maximum number of points of all lines of one call. */
const maxPoints = 50_000;
/** Maximum number of values that one call reads individually, for `lttb`. */
const maxValues = 1_000_000;

/** A variable of a device. */
export interface Pair {
  deviceId: string;
  name: string;
}

/** A variable that the device's product declares. */
export interface DeclaredPair extends Pair {
  type: VariableType;
  unit: string | null;
}

/** The points of a line. */
export type Columns = Pick<Line, 'ts' | 'values'>;

/** Lines with points, by {@link lineKey}. */
export type Drawn = ReadonlyMap<string, Columns>;

/** Returns the key of a line. */
export const lineKey = ({ deviceId, name }: Pair): string => `${deviceId} ${name}`;

/** Resolved call: its time range, and the length of its buckets in seconds; null without buckets. */
export interface SeriesPlan {
  range: UnixRange;
  interval: number | null;
}

/**
 * Resolves the defaults of a call. `now` is in Unix seconds.
 * @throws ApiError 422 if the request is invalid or would be too large
 */
export const planSeries = (call: SeriesCall, now: number): SeriesPlan => {
  const to = call.to ?? now;
  const range = { from: call.from ?? to - daySeconds, to };
  requireFit(call, range);
  const interval = call.interval ?? (call.function === SeriesFunction.lttb ? null : intervalFor(range, call.points));
  return { range, interval };
};

const requireFit = (
  { points, interval, deviceIds, variables, to, function: drawing }: SeriesCall,
  range: UnixRange,
): void => {
  if (range.from > range.to) {
    const fault = to == null ? { path: 'from', message: 'must not be after now, unless `to` is given' } : endsEarly;
    throw invalid([fault]);
  }
  if (interval != null && drawing === SeriesFunction.lttb) {
    throw invalid([{ path: 'interval', message: 'must be left out: lttb has no buckets; say how many `points`' }]);
  }
  const each = interval == null ? points : bucketsIn(range, interval);
  const all = deviceIds.length * variables.length * each;
  if (all <= maxPoints) return;
  const product = `${deviceIds.length} devices x ${variables.length} variables x ${each} points = ${all}`;
  const path = interval == null ? 'points' : 'interval';
  throw invalid([{ path, message: `is too fine: ${product}; at most ${maxPoints} are answered` }]);
};

const endsEarly: Fault = { path: 'to', message: 'must not be before `from`' };

/** @throws ApiError 422 if a call would read too many values individually */
export const requireFewValues = (total: number): void => {
  if (total <= maxValues) return;
  const message = `is too long ago: there are ${total} values, and lttb reads at most ${maxValues}; ask for less, or for min and max`;
  throw invalid([{ path: 'from', message }]);
};

/** Creates the error of a call that takes too long. */
export const seriesTooLong = (timeoutMs: number): ApiError =>
  invalid([
    { path: 'from', message: `is too long ago: this takes more than ${timeoutMs / 1000} s; ask for less at once` },
  ]);

/** Creates the error of a call whose values add up to more than a double holds. */
export const sumTooLarge = (): ApiError =>
  invalid([{ path: 'function', message: 'cannot be: the values of a bucket add up to more than a double holds' }]);

/** Returns the lines of a call that are read from the store. Lines of text variables stay empty. */
export const pairsToRead = (
  { deviceIds, variables }: Pick<SeriesCall, 'deviceIds' | 'variables'>,
  declared: readonly DeclaredPair[],
): { declared: readonly DeclaredPair[]; undeclared: readonly Pair[] } => {
  const known = new Set(declared.map(lineKey));
  const all = deviceIds.flatMap((deviceId) => variables.map((name) => ({ deviceId, name })));
  return {
    declared: declared.filter(({ type }) => type !== VariableType.TXT),
    undeclared: all.filter((pair) => !known.has(lineKey(pair))),
  };
};

/** Returns the lines of a call, in order. */
export const linesOf = (
  { deviceIds, variables }: Pick<SeriesCall, 'deviceIds' | 'variables'>,
  declared: readonly DeclaredPair[],
  drawn: Drawn,
  interval: number | null,
): Line[] => {
  const known = new Map(
    declared.map(({ deviceId, name, type, unit }) => [lineKey({ deviceId, name }), { type, unit }]),
  );
  return deviceIds.flatMap((deviceId) =>
    variables.map((name) => {
      const key = lineKey({ deviceId, name });
      return { deviceId, name, ...known.get(key), interval, ...(drawn.get(key) ?? { ts: [], values: [] }) };
    }),
  );
};

import sql, { type Sql } from 'sql-template-tag';
import { VariableType } from '../../../../entities/enums.js';
import { SeriesFunction } from '../../../../entities/series.js';
import { type Fault, invalid } from '../../../../errors.js';
import { TimedOut } from '../../../../search/pace.js';
import type { Line, RecordIndex, SeriesCall } from '../../../record-index.js';
import { bucketsIn, intervalFor, type Stretch } from '../../../series-interval.js';
import { variablesFor } from '../../variable.js';
import { type SearchConnections, takeSnapshot } from '../snapshot.js';
import type { Reader } from '../snapshot-reader.js';
import { createLttb, type Downsampler } from './lttb.js';
import { type Pair, type Rolled, tables, values, type Wanted } from './value.js';

/** Points of all lines of one call together. */
const maxPoints = 50_000;
/** Values that one call reads one by one, for `lttb`. */
const maxValues = 1_000_000;
const hour = 3600;
const day = 24 * hour;

/** What series are read with. */
export interface SeriesOptions extends SearchConnections {
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** How long one call may take, in milliseconds. */
  timeoutMs: number;
  /** Whether hourly rollups answer where they can; yes unless told otherwise. */
  rollups?: boolean;
}

/** Reads a line for each device and variable, in their order; one without values is empty. Throws 422 past the limits. */
export type ReadSeries = RecordIndex['series'];

interface Declared extends Pair {
  type: VariableType;
  unit: string | null;
}

type Columns = Pick<Line, 'ts' | 'values'>;
type Drawn = Map<string, Columns>;

/** Opens the reading of series. */
export const createSeries =
  ({ clock, timeoutMs, rollups = true, ...connections }: SeriesOptions): ReadSeries =>
  async (call) => {
    const to = call.to ?? clock() / 1000;
    const stretch = { from: call.from ?? to - day, to };
    const { deviceIds, function: drawing, points } = call;
    const interval = call.interval ?? (drawing === SeriesFunction.lttb ? null : intervalFor(stretch, points));
    requireFit(call, stretch);
    if (deviceIds.length === 0) return [];
    const snapshot = await takeSnapshot(connections, {
      organizationId: call.organizationId,
      most: 1,
      timeoutMs,
      signal: call.signal,
    });
    try {
      return await snapshot.run(timeoutMs, async (reader) => {
        const declared = await declaredOf(reader, call);
        const wanted = { ...wantedOf(call, declared), ...stretch };
        if (wanted.declared.length + wanted.undeclared.length === 0)
          return linesOf(call, declared, new Map(), interval);
        const drawn =
          drawing === SeriesFunction.lttb || interval === null
            ? await downsample(reader, wanted, points)
            : await aggregate(reader, { ...wanted, ...(rollups && hoursOf(stretch, interval)) }, drawing, interval);
        return linesOf(call, declared, drawn, interval);
      });
    } catch (error) {
      if (!(error instanceof TimedOut)) throw error;
      const message = `is too long ago: this takes more than ${timeoutMs / 1000} s; ask for less at once`;
      throw invalid([{ path: 'from', message }]);
    } finally {
      await snapshot.close();
    }
  };

/** Throws 422 where what is asked for cannot be, or would be too large. */
const requireFit = (
  { points, interval, deviceIds, variables, to, function: drawing }: SeriesCall,
  stretch: Stretch,
): void => {
  if (stretch.from > stretch.to) {
    const fault = to == null ? { path: 'from', message: 'must not be after now, unless `to` is given' } : endsEarly;
    throw invalid([fault]);
  }
  if (interval != null && drawing === SeriesFunction.lttb) {
    throw invalid([{ path: 'interval', message: 'must be left out: lttb has no buckets; say how many `points`' }]);
  }
  const each = interval == null ? points : bucketsIn(stretch, interval);
  const all = deviceIds.length * variables.length * each;
  if (all <= maxPoints) return;
  const product = `${deviceIds.length} devices x ${variables.length} variables x ${each} points = ${all}`;
  const path = interval == null ? 'points' : 'interval';
  throw invalid([{ path, message: `is too fine: ${product}; at most ${maxPoints} are answered` }]);
};

const endsEarly: Fault = { path: 'to', message: 'must not be before `from`' };

const declaredOf = (reader: Reader, { deviceIds, variables }: SeriesCall): Promise<Declared[]> =>
  reader.rows<Declared>(sql`
    select d.id as "deviceId", v ->> 'name' as name, v ->> 'type' as type, v ->> 'unit' as unit
      from device d join product p on p.id = d.product_id cross join lateral jsonb_array_elements(${variablesFor(sql`d.organization_id`)}) v
     where d.id = any(${deviceIds}::uuid[]) and v ->> 'name' = any(${variables}::text[])`);

/** What is read: all lines but those of text, which makes none. */
const wantedOf = (
  { organizationId, deviceIds, variables }: SeriesCall,
  declared: readonly Declared[],
): Omit<Wanted, keyof Stretch> => {
  const known = new Set(declared.map(keyOf));
  const all = deviceIds.flatMap((deviceId) => variables.map((name) => ({ deviceId, name })));
  return {
    organizationId,
    declared: declared.filter(({ type }) => type !== VariableType.TXT),
    undeclared: all.filter((pair) => !known.has(keyOf(pair))),
  };
};

/** The whole hours of a stretch of time, where buckets are made of such. */
const hoursOf = ({ from, to }: Stretch, interval: number): Pick<Wanted, 'hours'> => {
  const hours = { from: Math.ceil(from / hour) * hour, to: Math.floor(to / hour) * hour };
  return interval % hour === 0 && hours.to - hours.from > hour ? { hours } : {};
};

type Bucketed = Exclude<SeriesFunction, SeriesFunction.lttb>;

/** How the values of a bucket become one, and what a rollup has for it. */
const aggregates: Record<Bucketed, Rolled & { over: Sql }> = {
  avg: { over: sql`sum(value) / sum(n)`, value: sql`u.sum`, at: sql`u.hour` },
  min: { over: sql`min(value)`, value: sql`u.min`, at: sql`u.hour` },
  max: { over: sql`max(value)`, value: sql`u.max`, at: sql`u.hour` },
  sum: { over: sql`sum(value)`, value: sql`u.sum`, at: sql`u.hour` },
  count: { over: sql`sum(n)`, value: sql`u.sum`, at: sql`u.hour` },
  first: { over: sql`(array_agg(value order by at, seq))[1]`, value: sql`u.first`, at: sql`u.first_ts` },
  last: { over: sql`(array_agg(value order by at desc, seq desc))[1]`, value: sql`u.last`, at: sql`u.last_ts` },
};

const aggregate = async (reader: Reader, wanted: Wanted, drawing: Bucketed, interval: number): Promise<Drawn> => {
  const { over, ...rolled } = aggregates[drawing];
  const rows = await reader.rows<Pair & Columns>(sql`
    ${tables(wanted)}
    select device_id as "deviceId", name, json_agg(extract(epoch from bucket)::int8 order by bucket) as ts,
           json_agg(value order by bucket) as values
      from (select device_id, name, date_bin(make_interval(secs => ${interval}), ts, 'epoch') as bucket, ${over} as value
              from ${values(wanted, rolled)} group by 1, 2, 3) b
     group by 1, 2`);
  return new Map(rows.map(({ ts, values: column, ...pair }) => [keyOf(pair), { ts, values: column }]));
};

const asMeasured: Rolled = { value: sql`null`, at: sql`null` };

/** Each line's values one by one, in the order of time: a count first, for how many there are decides which to keep. */
const downsample = async (reader: Reader, wanted: Wanted, points: number): Promise<Drawn> => {
  const all = values(wanted, asMeasured);
  const counts = await reader.rows<Pair & { count: number }>(sql`
    ${tables(wanted)} select device_id as "deviceId", name, count(*)::int as count from ${all} group by 1, 2`);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (total > maxValues) {
    const message = `is too long ago: there are ${total} values, and lttb reads at most ${maxValues}; ask for less, or for min and max`;
    throw invalid([{ path: 'from', message }]);
  }
  const lines = new Map<string, Downsampler>(
    counts.map(({ count, ...pair }) => [keyOf(pair), createLttb(count, points)]),
  );
  const inOrder = sql`${tables(wanted)}
    select device_id, name, extract(epoch from ts)::float8, value from ${all} order by device_id, name, ts, seq`;
  await reader.batches(inOrder, (rows) => {
    for (const row of rows as [string, string, number, number][]) {
      const [deviceId, name, ts, value] = row;
      lines.get(keyOf({ deviceId, name }))!.push(ts, value);
    }
    return true;
  });
  return new Map([...lines].map(([key, line]) => [key, line.end()]));
};

const keyOf = ({ deviceId, name }: Pair): string => `${deviceId} ${name}`;

const linesOf = (
  { deviceIds, variables }: SeriesCall,
  declared: readonly Declared[],
  drawn: Drawn,
  interval: number | null,
): Line[] => {
  const known = new Map(declared.map(({ deviceId, name, type, unit }) => [keyOf({ deviceId, name }), { type, unit }]));
  return deviceIds.flatMap((deviceId) =>
    variables.map((name) => {
      const key = keyOf({ deviceId, name });
      return { deviceId, name, ...known.get(key), interval, ...(drawn.get(key) ?? { ts: [], values: [] }) };
    }),
  );
};

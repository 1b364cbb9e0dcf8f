import { DatabaseError } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { hourSeconds } from '#common/time.js';
import { SeriesFunction } from '#entities/series.js';
import { createLttb, type Downsampler } from '#records/answer/lttb.js';
import {
  type Columns,
  type DeclaredPair,
  type Drawn,
  lineKey,
  linesOf,
  type Pair,
  pairsToRead,
  planSeries,
  requireFewValues,
  seriesTooLong,
  sumTooLarge,
} from '#records/answer/series-answer.js';
import { hasAloneWithin } from '#records/postgres/alone-record.js';
import type { Line, RecordIndex } from '#records/record-index.js';
import { declaredPairs } from '#records/scope/declared.js';
import { onServer, type SearchConnections, takeSnapshot } from '#records/scope/snapshot.js';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import type { UnixRange } from '#records/series-interval.js';
import { TimedOut } from '#search/pace.js';
import { type Rolled, tables, values, type WantedSeries } from './series-value.js';

/** Settings and dependencies for reading series. */
export interface SeriesOptions extends SearchConnections {
  /** Returns milliseconds since 1970. */
  clock: () => number;
  /** Maximum duration of one call in milliseconds. */
  timeoutMs: number;
  /** Whether hourly rollups are used where possible; true by default. */
  rollups?: boolean;
}

/**
 * Reads a line for each device and variable, in the order requested; a line without values is empty.
 * @throws ApiError 422 beyond the limits.
 */
export type ReadSeries = RecordIndex['series'];

/** Creates the function that reads series. */
export const createSeries =
  ({ clock, timeoutMs, rollups = true, ...connections }: SeriesOptions): ReadSeries =>
  async (call) => {
    const { range, interval } = planSeries(call, clock() / 1000);
    const { organizationId, deviceIds, function: drawing, points } = call;
    if (deviceIds.length === 0) return [];
    const draw = async (reader: QueryReader): Promise<Line[]> => {
      const [declared, isAlone] = await Promise.all([
        reader.rows<DeclaredPair>(declaredPairs(call)),
        hasAloneWithin(reader.rows, organizationId, range),
      ]);
      const wanted = { organizationId, ...pairsToRead(call, declared), isAlone, ...range };
      if (wanted.declared.length + wanted.undeclared.length === 0) return linesOf(call, declared, new Map(), interval);
      const drawn =
        drawing === SeriesFunction.lttb || interval === null
          ? await downsample(reader, wanted, points)
          : await aggregate(reader, { ...wanted, ...(rollups && hoursOf(range, interval)) }, drawing, interval);
      return linesOf(call, declared, drawn, interval);
    };
    try {
      return await onServer(connections, call.position, async (server) => {
        const snapshot = await takeSnapshot(server, {
          organizationId,
          maxConnections: 1,
          timeoutMs,
          signal: call.signal,
        });
        try {
          return await snapshot.run(timeoutMs, draw);
        } finally {
          await snapshot.close();
        }
      });
    } catch (error) {
      if (error instanceof TimedOut) throw seriesTooLong(timeoutMs);
      throw isOutOfRange(error) ? sumTooLarge() : error;
    }
  };

/** Whether a number in the statement exceeds the largest double. */
const isOutOfRange = (error: unknown): boolean => error instanceof DatabaseError && error.code === '22003';

/** Returns the whole hours of a time span if buckets consist of whole hours. */
export const hoursOf = ({ from, to }: UnixRange, interval: number): Pick<WantedSeries, 'hours'> => {
  const hours = { from: Math.ceil(from / hourSeconds) * hourSeconds, to: Math.floor(to / hourSeconds) * hourSeconds };
  return interval % hourSeconds === 0 && hours.to - hours.from > hourSeconds ? { hours } : {};
};

type Bucketed = Exclude<SeriesFunction, SeriesFunction.lttb>;

/** SQL that combines the values of a bucket, and the columns of a rollup that hold the partial result. */
const aggregates: Record<Bucketed, Rolled & { over: Sql }> = {
  avg: { over: sql`sum(value) / sum(n)`, value: sql`u.sum`, at: sql`u.hour` },
  min: { over: sql`min(value)`, value: sql`u.min`, at: sql`u.hour` },
  max: { over: sql`max(value)`, value: sql`u.max`, at: sql`u.hour` },
  sum: { over: sql`sum(value)`, value: sql`u.sum`, at: sql`u.hour` },
  count: { over: sql`sum(n)`, value: sql`u.sum`, at: sql`u.hour` },
  first: { over: sql`(array_agg(value order by at, seq))[1]`, value: sql`u.first`, at: sql`u.first_ts` },
  last: { over: sql`(array_agg(value order by at desc, seq desc))[1]`, value: sql`u.last`, at: sql`u.last_ts` },
};

const aggregate = async (
  reader: QueryReader,
  wanted: WantedSeries,
  drawing: Bucketed,
  interval: number,
): Promise<Drawn> => {
  const { over, ...rolled } = aggregates[drawing];
  const rows = await reader.rows<Pair & Columns>(sql`
    ${tables(wanted)}
    select device_id as "deviceId", name, json_agg(extract(epoch from bucket)::int8 order by bucket) as ts,
           json_agg(value order by bucket) as values
      from (select device_id, name, date_bin(make_interval(secs => ${interval}), ts, 'epoch') as bucket, ${over} as value
              from ${values(wanted, rolled)} group by 1, 2, 3) b
     group by 1, 2`);
  return new Map(rows.map(({ ts, values: column, ...pair }) => [lineKey(pair), { ts, values: column }]));
};

const asMeasured: Rolled = { value: sql`null`, at: sql`null` };

/**
 * Reads the values of each line one by one in order of time. It counts them first, because the count decides which
 * values are kept.
 */
const downsample = async (reader: QueryReader, wanted: WantedSeries, points: number): Promise<Drawn> => {
  const all = values(wanted, asMeasured);
  const counts = await reader.rows<Pair & { count: number }>(sql`
    ${tables(wanted)} select device_id as "deviceId", name, count(*)::int as count from ${all} group by 1, 2`);
  requireFewValues(counts.reduce((sum, { count }) => sum + count, 0));
  const lines = new Map<string, Downsampler>(
    counts.map(({ count, ...pair }) => [lineKey(pair), createLttb(count, points)]),
  );
  const inOrder = sql`${tables(wanted)}
    select device_id, name, extract(epoch from ts)::float8, value from ${all} order by device_id, name, ts, seq`;
  await reader.batches(inOrder, (rows) => {
    for (const row of rows as [string, string, number, number][]) {
      const [deviceId, name, ts, value] = row;
      lines.get(lineKey({ deviceId, name }))!.push(ts, value);
    }
    return true;
  });
  return new Map([...lines].map(([key, line]) => [key, line.end()]));
};

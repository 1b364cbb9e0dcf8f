import sql from 'sql-template-tag';
import { type DeclaredPair, pairsToRead, seriesTooLong } from '#records/answer/series-answer.js';
import { planStates, SightedLines } from '#records/answer/states-answer.js';
import { hasAloneWithin } from '#records/postgres/alone-record.js';
import type { RecordIndex, StateLine } from '#records/record-index.js';
import { declaredPairs } from '#records/scope/declared.js';
import { onServer, takeSnapshot } from '#records/scope/snapshot.js';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import { TimedOut } from '#search/pace.js';
import { hoursOf, type SeriesOptions } from '../series/series.js';
import { stateTables, stateValues, type WantedStates } from './state-value.js';

/** Creates the function that reads states over time. */
export const createStates =
  ({ clock, timeoutMs, rollups = true, ...connections }: SeriesOptions): RecordIndex['states'] =>
  async (call) => {
    const plan = planStates(call, clock() / 1000);
    const { organizationId, deviceIds, signal } = call;
    if (deviceIds.length === 0) return [];
    const { since, interval } = plan;
    const read = async (reader: QueryReader): Promise<StateLine[]> => {
      const range = { from: since, to: plan.range.to };
      const [declared, isAlone] = await Promise.all([
        reader.rows<DeclaredPair>(declaredPairs(call)),
        hasAloneWithin(reader.rows, organizationId, range),
      ]);
      const lines = new SightedLines();
      const { undeclared } = pairsToRead(call, declared);
      const wanted = { organizationId, declared, undeclared, isAlone, ...range };
      if (declared.length + wanted.undeclared.length > 0)
        await readSightings(reader, { ...wanted, ...(rollups && hoursOf(range, interval)) }, interval, lines);
      return lines.linesOf(call, declared, plan);
    };
    try {
      return await onServer(connections, call.position, async (server) => {
        const snapshot = await takeSnapshot(server, { organizationId, maxConnections: 1, timeoutMs, signal });
        try {
          return await snapshot.run(timeoutMs, read);
        } finally {
          await snapshot.close();
        }
      });
    } catch (error) {
      throw error instanceof TimedOut ? seriesTooLong(timeoutMs) : error;
    }
  };

type SightedRow = [deviceId: string, name: string, ts: number, until: number, before: number | null, state: string];

/** Reads the records at which a state changes or a bucket begins, and the last one of each line. */
const readSightings = (
  reader: QueryReader,
  wanted: WantedStates,
  interval: number,
  lines: SightedLines,
): Promise<void> =>
  reader.batches(
    sql`
    ${stateTables(wanted)}
    select device_id, name, extract(epoch from ts)::float8, extract(epoch from until)::float8,
           extract(epoch from before)::float8, state
      from (select device_id, name, ts, until, state, seq,
                   row_number() over line = 1 or state <> lag(state) over line
                     or date_bin(make_interval(secs => ${interval}), ts, 'epoch') <> date_bin(make_interval(secs => ${interval}), lag(ts) over line, 'epoch')
                     or lead(ts) over line is null as is_sighting,
                   lag(until) over line as before
              from ${stateValues(wanted)} window line as (partition by device_id, name order by ts, seq)) s
     where is_sighting order by device_id, name, ts, seq`,
    (rows) => {
      for (const row of rows as SightedRow[]) {
        const [deviceId, name, ts, until, before, state] = row;
        lines.add({ deviceId, name }, { ts, until, before, state });
      }
    },
  );

import { DatabaseError } from 'pg';
import sql from 'sql-template-tag';
import { invalid } from '#common/errors.js';
import { DeviceReduction } from '#entities/group-series.js';
import { type GroupRow, groupLines } from '#records/answer/group-lines.js';
import { maxGroupPoints, planGroup, tooManyPoints } from '#records/answer/group-plan.js';
import { seriesTooLong } from '#records/answer/series-answer.js';
import type { SumPart } from '#records/blocks/sum.js';
import type { GroupCall, GroupLine } from '#records/group-series.js';
import { hasAloneWithin } from '#records/postgres/alone-record.js';
import type { RecordIndex } from '#records/record-index.js';
import { onServer, type SearchConnections, takeSnapshot } from '#records/scope/snapshot.js';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import { TimedOut } from '#search/pace.js';
import { commonUnit, isNoisy, readFacts } from './fact.js';
import { readFleets } from './fleet/read-fleets.js';
import { lineRows, memberTables } from './line.js';
import { type PartialOptions, partialTables } from './partial.js';
import { sumTables } from './run-sum.js';
import { isSited, stayTable } from './stay.js';
import { findSumDays } from './sum-day.js';
import { latestTable, valueTables } from './value.js';

/** Settings and dependencies for reading group series. */
export interface GroupOptions extends SearchConnections {
  /** Returns milliseconds since 1970. */
  clock: () => number;
  /** Maximum duration of one call in milliseconds. */
  timeoutMs: number;
  /** The sums that are used where possible: all by default, only those by run, or none. */
  sums?: 'all' | 'runs' | 'none';
}

/** Creates the function that reads lines over many devices. */
export const createGroupSeries =
  ({ sums = 'all', ...options }: GroupOptions): RecordIndex['groupSeries'] =>
  async (call) => {
    const plan = planGroup(call, options.clock() / 1000);
    if (call.groups.length === 0) return [];
    const isState = call.perDevice === DeviceReduction.timeInState;
    return readInSnapshot(options, call, async (reader) => {
      // The last value before the range, with which the increase begins, may be of any age.
      const since = isState ? plan.since - call.maxAge : partsOf[call.perDevice]?.includes('i') ? 0 : plan.since;
      const [facts, isAlone] = await Promise.all([
        readFacts(reader.rows, call),
        hasAloneWithin(reader.rows, call.organizationId, { from: since, to: plan.to }),
      ]);
      if (sums === 'all') {
        const lines = await readFleets(reader, { call, plan, facts, isAlone });
        if (lines !== undefined) return lines;
      }
      const { organizationId, variable } = call;
      const parts = partsOf[call.perDevice];
      const days =
        parts && sums !== 'none'
          ? await findSumDays(reader.rows, organizationId, facts.numeric, plan, parts.includes('i'))
          : undefined;
      const risingOnly = parts?.includes('i') === true && facts.numeric.some(isNoisy);
      const wanted = {
        organizationId,
        variable,
        facts,
        isAlone,
        ...(isState && { state: call.state }),
        ...(days &&
          parts && {
            sums: {
              spans: days.spans,
              tables: sumTables({
                ...days,
                organizationId,
                facts: facts.numeric,
                parts,
                risingOnly,
                ...(parts.includes('i') && { counter: { variable, to: plan.to } }),
                ...(isSited(call) && { unmoved: { from: plan.since, to: plan.to } }),
              }),
            },
          }),
      };
      return readLines(reader, {
        call,
        plan,
        facts,
        hasSums: days !== undefined,
        valuesFrom: days?.valuesFrom ?? plan.since,
        valuesOf: (from, to) => valueTables({ ...wanted, from, to }),
        latestBefore: (from, to) => latestTable({ ...wanted, from, to }),
      });
    });
  };

/** Parts of sums by run that answer a function; undefined if it needs the records. */
const partsOf: Readonly<Record<DeviceReduction, readonly SumPart[] | undefined>> = {
  avg: ['s'],
  min: ['l'],
  max: ['h'],
  last: ['t'],
  sum: ['s'],
  count: [],
  increase: ['f', 't', 'i'],
  rate: ['f', 't', 'i'],
  timeInState: undefined,
};

/** Runs the statement that reduces values to lines. */
export const readLines = async (reader: QueryReader, options: PartialOptions): Promise<GroupLine[]> => {
  const { call, plan } = options;
  const rows = (await reader.tuples(sql`
    with ${memberTables(call.members)}${stayTable(call)}, ${partialTables(options)}
    ${lineRows(call, plan, maxGroupPoints + 1)}`)) as GroupRow[];
  if (rows.length > maxGroupPoints) throw tooManyPoints(call);
  return groupLines(call, plan, rows, commonUnit(options.facts));
};

/** Runs the work of a call in one snapshot. */
export const readInSnapshot = async <Result>(
  { timeoutMs, ...connections }: Omit<GroupOptions, 'clock'>,
  { organizationId, position, signal }: Pick<GroupCall, 'organizationId' | 'position' | 'signal'>,
  work: (reader: QueryReader) => Promise<Result>,
): Promise<Result> => {
  try {
    return await onServer(connections, position, async (server) => {
      const snapshot = await takeSnapshot(server, { organizationId, maxConnections: 1, timeoutMs, signal });
      try {
        return await snapshot.run(timeoutMs, work);
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

const sumTooLarge = () =>
  invalid([{ path: 'perDevice', message: 'cannot be: the values of a bucket add up to more than a double holds' }]);

import { GroupFill, GroupSplit } from '#entities/group-series.js';
import { type GroupRow, groupLines } from '#records/answer/group-lines.js';
import { maxGroupPoints, tooManyPoints } from '#records/answer/group-plan.js';
import type { GroupCall, GroupLine } from '#records/group-series.js';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import { commonUnit, isNoisy, type VariableFact } from '../fact.js';
import { LinePoints } from './combine.js';
import { type Counter, FallenRun, isOfSteps, partsOf } from './fold.js';
import { foldRange } from './fold-range.js';
import { chunkTiles } from './load.js';
import { planTiles } from './tile.js';
import { readUnits } from './unit.js';
import { type FleetCall, noValues, readLatest, readOthers } from './values.js';

/**
 * Answers from sums of all devices of products, and from records where there are none. Undefined if this cannot be:
 * then sums by run, or records, answer.
 */
export const readFleets = async (reader: QueryReader, fleet: FleetCall): Promise<GroupLine[] | undefined> => {
  const { call, plan, facts } = fleet;
  const wanted = partsOf[call.perDevice];
  if (wanted === undefined || call.fill !== GroupFill.none) return undefined;
  const withSteps = isOfSteps(call.perDevice);
  const parts = call.split === GroupSplit.none || wanted.includes('n') ? wanted : [...wanted, 'n' as const];
  const tiles = await planTiles(reader.rows, call.organizationId, facts.numeric, plan, withSteps);
  if (tiles === undefined) return undefined;
  const chunks = await chunkTiles(reader, tiles.tiles, parts);
  if (chunks === undefined) return undefined;
  const found = await readUnits(reader, call, facts.numeric, tiles, plan);
  if (found === undefined) return undefined;
  const { units, lines } = found;
  const hasOthers = tiles.spans.length > 0 || units.isTiled.includes(0);
  const others = hasOthers ? await readOthers(reader, fleet, tiles, withSteps) : noValues;
  if (others === undefined) return undefined;
  const points = lines.map((line) => new LinePoints(line));
  const latest = (numbers: readonly number[]) => readLatest(reader, fleet, tiles, numbers);
  try {
    await foldRange(reader, {
      call,
      plan,
      units,
      others,
      points,
      latest,
      chunks,
      parts,
      counters: facts.numeric.map(counterOf),
    });
  } catch (error) {
    if (error instanceof FallenRun) return undefined;
    throw error;
  }
  const rows = rowsOf(points, call);
  if (rows.length > maxGroupPoints) throw tooManyPoints(call);
  return groupLines(call, plan, rows, commonUnit(facts));
};

const counterOf = ({ jitter, rollsOverAt }: VariableFact): Counter => ({
  jitter: jitter ?? 0,
  rollsOverAt: rollsOverAt ?? Number.POSITIVE_INFINITY,
  isNoisy: isNoisy({ jitter, rollsOverAt }),
});

/** Returns the rows of lines, which are in the order of groups and keys: lines of a group by their number of values. */
const rowsOf = (points: readonly LinePoints[], call: GroupCall): GroupRow[] =>
  [...Map.groupBy(points, ({ line }) => line.group).values()].flatMap((lines) =>
    lines
      .toSorted((a, b) => b.n - a.n)
      .flatMap((line, index) => line.rows(call.split === GroupSplit.none ? 1 : index + 1, call)),
  );

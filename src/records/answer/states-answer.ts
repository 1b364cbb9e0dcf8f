import { hourSeconds } from '#common/time.js';
import { VariableType } from '#entities/enums.js';
import { SeriesFunction } from '#entities/series.js';
import type { StateLine, StatesCall } from '../record-index.js';
import { type DeclaredPair, lineKey, type Pair, planSeries, requireFewValues } from './series-answer.js';
import { gapFactor, type Sighting, type StateBuckets, type StateColumns, stateColumns } from './state-line.js';

/** Maximum length of a state's text; the rest is left out. */
export const longestState = 200;

/** Shortest usual interval for which the records before the range are read, in seconds. */
const shortestLead = hourSeconds;

/** Resolved call: its range and buckets, and the time from which records are read, in Unix seconds. */
export interface StatesPlan extends StateBuckets {
  /** Lies before the range, because a state lasts from the record before it. */
  readonly since: number;
}

/**
 * Resolves the defaults of a call. `now` is in Unix seconds.
 * @throws ApiError 422 if the request is invalid or would be too large
 */
export const planStates = (call: StatesCall, now: number): StatesPlan => {
  const { range, interval } = planSeries({ ...call, function: SeriesFunction.last }, now);
  return { range, interval: interval!, since: range.from - gapFactor * Math.max(interval!, shortestLead) };
};

/** Collects the sightings of lines. */
export class SightedLines {
  private readonly lines = new Map<string, Sighting[]>();
  private count = 0;

  /** @throws ApiError 422 if the call has too many sightings */
  add(pair: Pair, sighting: Sighting): void {
    requireFewValues((this.count += 1));
    const key = lineKey(pair);
    const line = this.lines.get(key);
    if (line === undefined) this.lines.set(key, [sighting]);
    else line.push(sighting);
  }

  /** Returns the lines of a call, in order. */
  linesOf(
    { deviceIds, variables }: StatesCall,
    declared: readonly DeclaredPair[],
    { range, interval }: StatesPlan,
  ): StateLine[] {
    const known = new Map(
      declared.map(({ deviceId, name, type, unit }) => [lineKey({ deviceId, name }), { type, unit }]),
    );
    return deviceIds.flatMap((deviceId) =>
      variables.map((name) => {
        const key = lineKey({ deviceId, name });
        const facts = known.get(key);
        const columns = stateColumns(this.lines.get(key) ?? [], { range, interval });
        return {
          deviceId,
          name,
          ...facts,
          interval,
          ...(facts?.type === VariableType.BOOL ? worded(columns) : columns),
        };
      }),
    );
  }
}

/** Returns the states of a BOOL in words: they are stored as 0 and 1. */
const worded = ({ values, ...columns }: StateColumns): StateColumns => ({
  ...columns,
  values: values.map((value) => (value === '0' ? 'false' : 'true')),
});

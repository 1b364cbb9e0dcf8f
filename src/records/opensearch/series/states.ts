import { pairsToRead, seriesTooLong } from '#records/answer/series-answer.js';
import { longestState, planStates, SightedLines } from '#records/answer/states-answer.js';
import type { RecordIndex } from '#records/record-index.js';
import { declaredPairs } from '#records/scope/declared.js';
import { TimedOut } from '#search/pace.js';
import { readValues } from './point.js';
import type { ClusterSeriesOptions } from './series.js';
import { sourcesOf } from './source.js';

/** Creates the read of states from a cluster. It reads each value. */
export const createClusterStates =
  ({ engine, pool, places, clock, timeoutMs }: ClusterSeriesOptions): RecordIndex['states'] =>
  async (call) => {
    const plan = planStates(call, clock() / 1000);
    const { organizationId, deviceIds, signal } = call;
    if (deviceIds.length === 0) return [];
    await engine.fresh(organizationId, signal);
    const declared = (await pool.query(declaredPairs(call))).rows;
    const placed = (await places.of([organizationId])).get(organizationId)!;
    const { undeclared } = pairsToRead(call, declared);
    const pairs = await sourcesOf({ pool, places: placed, organizationId, declared, undeclared, texts: true });
    const range = { from: plan.since, to: plan.range.to };
    const asked = { organizationId, ...range, signal, deadline: performance.now() + timeoutMs };
    const lines = new SightedLines();
    const isDeclared = new Set<object>(pairs.slice(0, declared.length));
    try {
      for (const pair of pairs) {
        const booleans = new Set(pair.sources.flatMap(({ field, kind }) => (kind === 'b' ? [field] : [])));
        let before: number | null = null;
        if (pair.sources.length > 0)
          await readValues(engine, asked, pair, range, (ts, value, field) => {
            // Booleans are indexed as numbers. Those of declared variables get their words in `linesOf`.
            const isWord = booleans.has(field) && !isDeclared.has(pair);
            const state = isWord ? String(Number(value) !== 0) : String(value).slice(0, longestState);
            lines.add(pair, { ts, until: ts, before, state });
            before = ts;
          });
      }
      return lines.linesOf(call, declared, plan);
    } catch (error) {
      throw error instanceof TimedOut ? seriesTooLong(timeoutMs) : error;
    }
  };

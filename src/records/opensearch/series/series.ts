import type { Pool } from 'pg';
import { SeriesFunction } from '#entities/series.js';
import { linesOf, pairsToRead, planSeries, seriesTooLong } from '#records/answer/series-answer.js';
import type { RecordIndex } from '#records/record-index.js';
import { declaredPairs } from '#records/scope/declared.js';
import { TimedOut } from '#search/pace.js';
import type { Engine } from '../engine.js';
import type { FieldPlaces } from '../place.js';
import { aggregate } from './bucket.js';
import { downsample } from './point.js';
import { sourcesOf } from './source.js';

export interface ClusterSeriesOptions {
  engine: Engine;
  /** For devices and products. */
  pool: Pool;
  places: FieldPlaces;
  /** Returns milliseconds since 1970. */
  clock: () => number;
  /** Maximum duration of one call, in milliseconds. */
  timeoutMs: number;
}

/** Creates the read of series from a cluster. */
export const createClusterSeries =
  ({ engine, pool, places, clock, timeoutMs }: ClusterSeriesOptions): RecordIndex['series'] =>
  async (call) => {
    const { range, interval } = planSeries(call, clock() / 1000);
    const { organizationId, deviceIds, function: drawing, points, signal } = call;
    if (deviceIds.length === 0) return [];
    await engine.fresh(organizationId, signal);
    const declared = (await pool.query(declaredPairs(call))).rows;
    const placed = (await places.of([organizationId])).get(organizationId)!;
    const pairs = await sourcesOf({ pool, places: placed, organizationId, ...pairsToRead(call, declared) });
    const asked = { organizationId, ...range, signal, deadline: performance.now() + timeoutMs };
    try {
      const drawn =
        drawing === SeriesFunction.lttb || interval === null
          ? await downsample(engine, asked, pairs, { range, points })
          : await aggregate(engine, asked, pairs, { range, interval, drawing });
      return linesOf(call, declared, drawn, interval);
    } catch (error) {
      throw error instanceof TimedOut ? seriesTooLong(timeoutMs) : error;
    }
  };

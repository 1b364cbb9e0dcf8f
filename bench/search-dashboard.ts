import { stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { median, timed } from './figures.js';
import { nextItem } from './fleet.js';
import { panelOf } from './search-question.js';
import type { SearchWorld } from './search-world.js';

const dashboards = 20;
const panels = 6;
const warmUp = 10;
const rounds = 30;
/** `offered`: records per second, regardless of answers to earlier calls. `batch`: records per call. */
const offered = 1000;
const batch = 100;

/**
 * Measures many dashboards at once, each one call with six panels, during ingestion. The ingested records are deleted
 * afterwards.
 */
export const reportDashboards = async (world: SearchWorld): Promise<void> => {
  const { stage, fleet, until } = world;
  let asking = true;
  let stored = 0;
  const ingest = async () => {
    const begun = performance.now();
    const calls: Promise<void>[] = [];
    for (let sent = batch; asking; sent += batch) {
      const call = stage.post(Array.from({ length: batch }, () => nextItem(fleet)));
      calls.push(call.then(() => void (stored += batch)));
      await pause(Math.max(0, begun + (sent * 1000) / offered - performance.now()));
    }
    await Promise.all(calls);
  };
  const ingesting = ingest();
  const times: number[] = [];
  let begun = performance.now();
  for (let round = 0; round < warmUp + rounds; round++) {
    if (round === warmUp) [begun, stored] = [performance.now(), 0];
    const all = Array.from({ length: dashboards }, (_, index) => {
      const first = (round * dashboards + index) * panels;
      return timed(() =>
        stage.search(
          fleet.applicationId,
          ...Array.from({ length: panels }, (_none, place) => panelOf(world, first + place)),
        ),
      );
    });
    const took = await Promise.all(all);
    if (round >= warmUp) times.push(...took);
  }
  const seconds = (performance.now() - begun) / 1000;
  asking = false;
  await ingesting;
  await stage.pool.query('delete from record where ts > to_timestamp($1::float8 / 1000)', [until]);
  await stage.pool.query('truncate record_dirty, record_key');
  const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
  stdout.write(
    `\ndashboards: ${dashboards} at once, ${panels} panels each, beside ${Math.round(stored / seconds)} records/s coming in\n` +
      `  median ${median(times).toFixed(0)} ms, 95 % within ${p95.toFixed(0)} ms\n`,
  );
};

import { stdout } from 'node:process';
import { median, timed } from './figures.js';
import { nextItem } from './fleet.js';
import { panelOf } from './search-question.js';
import type { SearchWorld } from './search-world.js';

const dashboards = 20;
const panels = 6;
const rounds = 10;
const batch = 200;

/** Dashboards all at once, each one call of six panels, while records come in. What came in goes again. */
export const reportDashboards = async (world: SearchWorld): Promise<void> => {
  const { stage, fleet, until } = world;
  let asking = true;
  let stored = 0;
  const ingest = async () => {
    for (; asking; stored += batch) await stage.post(Array.from({ length: batch }, () => nextItem(fleet)));
  };
  const begun = performance.now();
  const ingesting = Promise.all([ingest(), ingest()]);
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
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
    // The first round only warms.
    if (round > 0) times.push(...took);
  }
  const seconds = (performance.now() - begun) / 1000;
  asking = false;
  await ingesting;
  await stage.pool.query('delete from record where ts > to_timestamp($1::float8 / 1000)', [until]);
  const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
  stdout.write(
    `\ndashboards: ${dashboards} at once, ${panels} panels each, beside ${Math.round(stored / seconds)} records/s coming in\n` +
      `  median ${median(times).toFixed(0)} ms, 95 % within ${p95.toFixed(0)} ms\n`,
  );
};

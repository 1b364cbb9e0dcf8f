import { env, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { median, type Row, timed } from './figures.js';
import { reportDashboards } from './search-dashboard.js';
import { type Engine, openEngine } from './search-engine.js';
import { type Question, questionsOf } from './search-question.js';
import { reportShaping } from './search-shaping.js';
import { openWorld, type SearchWorld } from './search-world.js';

/**
 * Searches over HTTP against SQL written by hand for the same question, over records or over rollups, and against the engine
 * at OPENSEARCH_URL where there is one. `--rows N` (1 million), `--rounds N` (5), `--only a,b` the questions whose names begin
 * so, `dashboards` and `shaping`; `--prepare` only makes the records.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '5' },
      only: { type: 'string' },
      prepare: { type: 'boolean', default: false },
    },
  });
  const world = await openWorld(Number(values.rows));
  try {
    const url = env['OPENSEARCH_URL'];
    const engine = url === undefined ? undefined : await openEngine(url, world);
    if (values.prepare) return;
    const wanted = (name: string) => values.only?.split(',').some((one) => name.startsWith(one)) ?? true;
    for (const question of questionsOf(world).filter(({ name }) => wanted(name)))
      await compare(world, question, engine, Number(values.rounds));
    if (wanted('shaping')) await reportShaping(world);
    if (wanted('dashboards')) await reportDashboards(world);
  } finally {
    await world.stage.close();
  }
}

/** Asks each side in turn. The first round only warms. */
const compare = async (world: SearchWorld, question: Question, engine: Engine | undefined, rounds: number) => {
  const { name, query, byHand, byRollup } = question;
  const { pool } = world.stage;
  const sides: [string, () => Promise<unknown>][] = [
    ['SQL by hand', () => pool.query(byHand)],
    ...(byRollup ? [['SQL over rollups', () => pool.query(byRollup)] as [string, () => Promise<unknown>]] : []),
    ...(engine ? [['OpenSearch', () => engine.ask(question)] as [string, () => Promise<unknown>]] : []),
  ];
  const ours: Row = { name: 'search', figures: [] };
  const rows: Row[] = sides.map(([side]) => ({ name: side, figures: [] }));
  for (let round = 0; round <= rounds; round++) {
    const figures = [await timed(() => world.stage.search(world.fleet.applicationId, query))];
    for (const [, ask] of sides) figures.push(await timed(ask));
    if (round > 0) for (const [index, row] of [ours, ...rows].entries()) row.figures.push(figures[index]!);
  }
  stdout.write(`\n${name}\n`);
  for (const row of [ours, ...rows]) {
    const ratio = median(ours.figures.map((figure, round) => figure / row.figures[round]!));
    stdout.write(
      `  ${row.name.padEnd(20)} ${median(row.figures).toFixed(1).padStart(9)} ms   search takes ${ratio.toFixed(2)} of it\n`,
    );
  }
};

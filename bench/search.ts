import { env, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { median, type Row, timed } from './figures.js';
import { reportDashboards } from './search-dashboard.js';
import { openEngine } from './search-engine.js';
import { reportBackup, reportRetention } from './search-keeping.js';
import { type Question, questionsOf } from './search-question.js';
import { reportShaping } from './search-shaping.js';
import { openWorld, removeWorld, reportStorage, type SearchWorld } from './search-world.js';

/**
 * Compares searches over HTTP with handwritten SQL for the same question, over records or rollups, and with the engine
 * at OPENSEARCH_URL if there is one. Options: `--rows N` (1 million) and `--rounds N` (9). `--only a,b` runs only the
 * questions and the reports (`storage`, `shaping`, `dashboards`, and those that run only when named: `backup`,
 * `restore`, `retention`) whose names begin with `a` or `b`. `--ours` leaves out the other sides. `--prepare` only
 * creates the records. `--blocks` puts a second world beside it, whose days but the last nine are in blocks alone, in place
 * of SQL. With `--copies`, the blocks of that world are copies of one day's, which takes a tenth of the time to make;
 * without `--blocks`, such a world is compared with one of 10 million records. After `retention` the world is removed,
 * because it lacks records.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '9' },
      only: { type: 'string' },
      ours: { type: 'boolean', default: false },
      blocks: { type: 'boolean', default: false },
      copies: { type: 'boolean', default: false },
      prepare: { type: 'boolean', default: false },
    },
  });
  const named = (name: string) => values.only?.split(',').some((one) => name.startsWith(one)) ?? false;
  const rows = Number(values.rows);
  const isLarge = values.copies && !values.blocks;
  const world = await openWorld(rows, isLarge ? 'copies' : 'rows');
  const blocked = values.copies
    ? await openWorld(isLarge ? 10_000_000 : rows, 'copies')
    : values.blocks
      ? await openWorld(rows, 'blocks')
      : undefined;
  try {
    const url = env['OPENSEARCH_URL'];
    const engine = url === undefined ? undefined : await openEngine(url, world);
    if (values.prepare) return;
    const wanted = (name: string) => values.only === undefined || named(name);
    const inBlocks = blocked && questionsOf(blocked);
    for (const [index, question] of questionsOf(world).entries()) {
      if (!wanted(question.name)) continue;
      const others = inBlocks ? [blockSide(blocked, inBlocks[index]!)] : values.ours ? [] : sqlSides(world, question);
      if (engine) others.push(['OpenSearch', () => engine.ask(question)]);
      await compare(world, question, others, Number(values.rounds));
    }
    if (wanted('storage')) await reportStorage(world);
    if (wanted('shaping')) await reportShaping(world);
    if (wanted('dashboards')) await reportDashboards(world);
    if (named('backup') || named('restore')) await reportBackup(world, named('restore'));
    if (named('retention')) await reportRetention(world);
  } finally {
    await blocked?.stage.close();
    await world.stage.close();
  }
  if (named('retention')) await removeWorld(world);
}

/** Warm-up of each side in milliseconds, as a new process runs code that is not yet compiled. */
export const warmUp = 2000;

/**
 * Minimum duration of each side's measurement per round, in milliseconds. A single answer that takes a few milliseconds
 * mostly measures cold caches.
 */
export const turn = 200;

/** Returns the average duration of an answer over a duration, all in milliseconds. */
export const average = async (ask: () => Promise<unknown>, duration: number): Promise<number> => {
  let calls = 0;
  return (
    (await timed(async () => {
      const until = performance.now() + duration;
      do {
        await ask();
        calls++;
      } while (performance.now() < until);
    })) / calls
  );
};

/** Something that answers a question, and its name. */
type Side = [name: string, ask: () => Promise<unknown>];

const sqlSides = ({ stage }: SearchWorld, { byHand, byRollup }: Question): Side[] => [
  ['SQL by hand', () => stage.pool.query(byHand)],
  ...(byRollup ? [['SQL over rollups', () => stage.pool.query(byRollup)] satisfies Side] : []),
];

const blockSide = ({ stage, fleet, rows }: SearchWorld, { query }: Question): Side => [
  `search of ${rows.toLocaleString('en')} in blocks`,
  () => stage.search(fleet.applicationId, query),
];

/** Queries each side in turn. */
const compare = async (
  { stage, fleet }: SearchWorld,
  { name, query }: Question,
  others: readonly Side[],
  rounds: number,
) => {
  const own: Side = ['search', () => stage.search(fleet.applicationId, query)];
  const sides = [own, ...others].map(([side, ask]): [Row, Side[1]] => [{ name: side, figures: [] }, ask]);
  for (const [, ask] of sides) await average(ask, warmUp);
  for (let round = 0; round < rounds; round++)
    for (const [side, ask] of sides) side.figures.push(await average(ask, turn));
  const ours = sides[0]![0].figures;
  stdout.write(`\n${name}\n`);
  for (const [side] of sides) {
    const ratio = median(ours.map((figure, round) => figure / side.figures[round]!));
    stdout.write(
      `  ${side.name.padEnd(20)} ${median(side.figures).toFixed(1).padStart(9)} ms   search takes ${ratio.toFixed(2)} of it\n`,
    );
  }
};

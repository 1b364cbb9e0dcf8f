import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { planData } from './stores-data.js';
import { influx } from './stores-influx.js';
import { measureOurs } from './stores-ours.js';
import { differenceBetween, type QuestionName, questions, type StoreResult } from './stores-question.js';
import { measureRival } from './stores-rival.js';
import { victoria } from './stores-victoria.js';

/**
 * Puts the same records into the service, VictoriaMetrics and InfluxDB 1.x, one after the other. Measures bytes on disk,
 * processor time to ingest, and five questions. `--rows N` (1,000,000), `--devices N` (100, at most 100), `--turns N`
 * (5) for each question, `--kept N` (0) last days of which the service keeps rows beside blocks. A store whose program is not on the `PATH` is left out.
 * @throws Error if a store answers differently
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '1000000' },
      devices: { type: 'string', default: '100' },
      turns: { type: 'string', default: '5' },
      kept: { type: 'string', default: '0' },
    },
  });
  const data = planData(Number(values.rows), Math.min(100, Number(values.devices)));
  const turns = Number(values.turns);
  stdout.write(
    `\n${data.records.toLocaleString('en')} records of ${data.devices.length} devices over ${data.days} days, five numbers each\n`,
  );
  const results = [await measureOurs(data, turns, Number(values.kept))];
  for (const store of [victoria, influx]) {
    const result = await measureRival(store, data, turns);
    if (result === undefined) stdout.write(`  ${store.name} is left out: there is no ${store.program} on the PATH.\n`);
    else results.push(result);
  }
  report(results, data.records);
  compare(results);
}

const report = (results: readonly StoreResult[], records: number): void => {
  const line = (name: string, texts: readonly string[]) =>
    stdout.write(`  ${name.padEnd(40)} ${texts.map((text) => text.padStart(18)).join(' ')}\n`);
  for (const { name, steps } of results) for (const step of steps) stdout.write(`  ${name}: ${step}\n`);
  line(
    '',
    results.map(({ name }) => name),
  );
  line(
    'bytes a record',
    results.map(({ bytes }) => (bytes / records).toFixed(2)),
  );
  line(
    'ingestion, us of processor time a record',
    results.map(({ ingest }) => (ingest / records).toFixed(2)),
  );
  line(
    'ms of processor time, and until answered',
    results.map(() => ''),
  );
  for (const [name, title] of Object.entries(questions) as [QuestionName, string][])
    line(
      title,
      results.map(({ costs }) => `${costs.get(name)!.processor.toFixed(1)}, ${costs.get(name)!.wall.toFixed(1)}`),
    );
};

/** Compares the answers of all stores with ours. */
const compare = ([ours, ...others]: readonly StoreResult[]): void => {
  const differences = others.flatMap(({ name, answers }) =>
    [...answers].flatMap(([question, answer]) => {
      const difference = differenceBetween(ours!.answers.get(question)!, answer);
      return difference === undefined ? [] : [`${name}, ${questions[question]}: ${difference}`];
    }),
  );
  if (differences.length > 0) throw new Error(`Answers differ:\n${differences.join('\n')}`);
  if (others.length > 0) stdout.write('  All answers are equal.\n');
};

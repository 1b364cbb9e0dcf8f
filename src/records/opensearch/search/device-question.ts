import sql from 'sql-template-tag';
import type { Predicate } from '../../../search/query/predicate.js';
import type { Rows } from '../../postgres/search/snapshot-reader.js';
import { condition } from '../../postgres/search/sql/condition.js';
import type { Part } from '../engine.js';
import { anyOf, matchNone } from './part.js';

/** Numbers of devices in one clause at most: the engine takes no more. */
const maxTerms = 65_536;
/** So many numbers that follow one another are named by their ends. Devices that were made together have such numbers. */
const longRun = 16;
/** Ranges of numbers at most: the engine takes about a thousand clauses. */
const maxRuns = 200;

/** Devices by their numbers, as a query. Sixty thousand made together take one line instead of half a megabyte. */
export const devicesIn = (numbers: readonly number[]): Part => {
  const runs = runsOf(numbers);
  const long = runs
    .filter(({ first, last }) => last - first + 1 >= longRun)
    .sort((one, other) => other.last - other.first - (one.last - one.first))
    .slice(0, maxRuns);
  const inLong = new Set(long);
  const single = runs.flatMap((run) => (inLong.has(run) ? [] : numbersIn(run)));
  const ranges = long.map(({ first, last }) => ({ range: { dn: { gte: first, lte: last } } }));
  const terms = Array.from({ length: Math.ceil(single.length / maxTerms) }, (_, index) => ({
    terms: { dn: single.slice(index * maxTerms, (index + 1) * maxTerms) },
  }));
  return anyOf([...ranges, ...terms]);
};

/** Numbers that follow one another, both ends included. */
interface Run {
  readonly first: number;
  last: number;
}

/** The runs of some numbers, in ascending order. */
const runsOf = (numbers: readonly number[]): Run[] => {
  const runs: Run[] = [];
  for (const number of Int32Array.from(numbers).sort()) {
    const run = runs.at(-1);
    if (run !== undefined && number <= run.last + 1) run.last = number;
    else runs.push({ first: number, last: number });
  }
  return runs;
};

const numbersIn = ({ first, last }: Run): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/**
 * What queries ask of devices as they are now: the engine knows only the numbers of those that match. A part of a query is
 * given at once, and filled once PostgreSQL was asked.
 */
export class DeviceQuestions {
  private readonly open: { predicate: Predicate; into: { filter: Part } }[] = [];

  /** The part of a query that only records of matching devices match. */
  ask(predicate: Predicate): Part {
    const into = { filter: matchNone };
    this.open.push({ predicate, into });
    return { bool: into };
  }

  /** Asks all that is open, of some devices, in one round trip. */
  async answer(rows: Rows, deviceIds: readonly string[]): Promise<void> {
    const asked = this.open.splice(0);
    const found = await Promise.all(
      asked.map(({ predicate }) =>
        rows<{ numbers: number[] }>(
          sql`select coalesce(array_agg(d.number order by d.number), '{}') as numbers from device d where d.id = any(${deviceIds}::uuid[]) and ${condition(predicate)}`,
        ),
      ),
    );
    for (const [index, { into }] of asked.entries()) into.filter = devicesIn(found[index]![0]!.numbers);
  }
}

import sql from 'sql-template-tag';
import { condition } from '#records/postgres/search/sql/sql-condition.js';
import { devicesWith } from '#records/postgres/search/sql/stored-field.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import { fieldsOf, type Predicate } from '#search/query/predicate.js';
import type { Part } from '../engine.js';
import { anyOf, matchNone } from './query-part.js';

/** Maximum number of device numbers in one clause; the engine's limit. */
const maxTerms = 65_536;
/**
 * Minimum length of a run of consecutive numbers that is written as a range. Devices created together have consecutive
 * numbers.
 */
const longRun = 16;
/** Maximum number of ranges: the engine accepts about a thousand clauses. */
const maxRuns = 200;

/**
 * Builds a query for devices by their numbers. Sixty thousand devices created together take one line instead of half a
 * megabyte.
 */
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

/** A run of consecutive numbers, both ends inclusive. */
interface Run {
  readonly first: number;
  last: number;
}

/** Returns the runs among numbers, in ascending order. */
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
 * Conditions on current values of devices. The engine knows only device numbers, so each condition becomes a part of
 * the query that is filled in once PostgreSQL has returned the numbers of the matching devices.
 */
export class DeviceQuestions {
  private readonly open: { predicate: Predicate; into: { filter: Part } }[] = [];

  /** Returns the part of the query that matches the records of matching devices. */
  ask(predicate: Predicate): Part {
    const into = { filter: matchNone };
    this.open.push({ predicate, into });
    return { bool: into };
  }

  /** Fills all open parts in one round trip to PostgreSQL, for the given devices. */
  async answer(rows: Rows, deviceIds: readonly string[]): Promise<void> {
    const asked = this.open.splice(0);
    const found = await Promise.all(
      asked.map(({ predicate }) =>
        rows<{ numbers: number[] }>(
          sql`select coalesce(array_agg(d.number order by d.number), '{}') as numbers from ${devicesWith(fieldsOf(predicate))} where d.id = any(${deviceIds}::uuid[]) and ${condition(predicate)}`,
        ),
      ),
    );
    for (const [index, { into }] of asked.entries()) into.filter = devicesIn(found[index]![0]!.numbers);
  }
}

import sql from 'sql-template-tag';
import type { Predicate } from '../../../search/query/predicate.js';
import type { Rows } from '../../postgres/search/snapshot-reader.js';
import { condition } from '../../postgres/search/sql/condition.js';
import type { Part } from '../engine.js';
import { matchNone } from './part.js';

/** Numbers of devices in one clause at most: the engine takes no more. */
const maxTerms = 65_536;

/** Devices by their numbers, as a query. */
export const devicesIn = (numbers: readonly number[]): Part => {
  if (numbers.length === 0) return matchNone;
  if (numbers.length <= maxTerms) return { terms: { dn: numbers } };
  const parts = Array.from({ length: Math.ceil(numbers.length / maxTerms) }, (_, index) => ({
    terms: { dn: numbers.slice(index * maxTerms, (index + 1) * maxTerms) },
  }));
  return { bool: { should: parts, minimum_should_match: 1 } };
};

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

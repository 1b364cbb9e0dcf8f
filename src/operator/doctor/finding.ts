import type { Pool } from 'pg';

/** A connection. */
export type Database = Pick<Pool, 'query'>;

/** What a check found: `wrong` needs somebody soon, `note` is worth knowing. */
export interface Finding {
  /** What was looked at. */
  check: string;
  state: 'ok' | 'note' | 'wrong';
  /** What is so, and what to do about it. */
  says: string;
  /** One line for each thing that it is about. */
  details?: readonly string[];
}

/** A check of the database. */
export type Check = (database: Database, now: Date) => Promise<Finding>;

/** A finding that is `ok` where nothing is said. */
export const finding = (check: string, fine: string, state: 'note' | 'wrong', faults: readonly string[]): Finding =>
  faults.length === 0 ? { check, state: 'ok', says: fine } : { check, state, says: faults.join(' ') };

/** A duration in the largest unit that it has at least two of. */
export function ago(seconds: number): string {
  const units: [number, string][] = [
    [86_400, 'days'],
    [3600, 'hours'],
    [60, 'minutes'],
  ];
  const [size, unit] = units.find(([size]) => seconds >= 2 * size) ?? [1, 'seconds'];
  return `${Math.floor(seconds / size)} ${unit}`;
}

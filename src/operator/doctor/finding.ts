import type { Queryable } from '#database/queryable.js';

/** The result of a check. `wrong` needs attention soon, `note` is worth knowing. */
export interface Finding {
  /** Subject of the check. */
  check: string;
  state: 'ok' | 'note' | 'wrong';
  /** Description of the state, and the remedy. */
  says: string;
  /** One line for each affected object. */
  details?: readonly string[];
}

export type DoctorCheck = (database: Queryable, now: Date) => Promise<Finding>;

/** Creates a finding, which is `ok` when there are no faults. */
export const finding = (check: string, fine: string, state: 'note' | 'wrong', faults: readonly string[]): Finding =>
  faults.length === 0 ? { check, state: 'ok', says: fine } : { check, state, says: faults.join(' ') };

/** Formats a duration in the largest unit of which it has at least two. */
export function ago(seconds: number): string {
  const units: [number, string][] = [
    [86_400, 'days'],
    [3600, 'hours'],
    [60, 'minutes'],
  ];
  const [size, unit] = units.find(([size]) => seconds >= 2 * size) ?? [1, 'seconds'];
  return `${Math.floor(seconds / size)} ${unit}`;
}

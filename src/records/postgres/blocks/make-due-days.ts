import type { Pool } from 'pg';
import { makeDay } from './make-day.js';
import { findDueDays, type NotedDay, noteOtherZones } from './noted-day.js';

/** Called while days are made. */
export interface MakerWatch {
  /** Called before a day is made. */
  onDay(day: NotedDay): void;
  /** Called when a day cannot be in blocks. */
  onFault(day: NotedDay, fault: string): void;
}

/** Makes the blocks of all days that are due. Ends early if another process makes blocks. */
export const makeDueDays = async (pool: Pool, now: Date, { onDay, onFault }: MakerWatch): Promise<void> => {
  for (;;) {
    const days = await findDueDays(pool, now);
    if (days.length === 0 && !(await noteOtherZones(pool))) return;
    for (const day of days) {
      onDay(day);
      const made = await makeDay(pool, day);
      if (made.outcome === 'busy') return;
      if (made.outcome === 'fault') onFault(day, made.fault);
    }
  }
};

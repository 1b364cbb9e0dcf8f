import type { Pool } from 'pg';
import type { BlockMode } from '#config/config.js';
import { freezeDueDays, rollUpAloneDays, thawDueDays } from './alone-work.js';
import { attemptAll } from './attempt.js';
import { findFleetDays, makeFleetDay } from './fleet-day.js';
import { findFleetMonths, makeFleetMonth } from './fleet-month.js';
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

/** Makes the sums of all devices of days and months that lack them. Ends early if another process makes blocks. */
export const makeDueFleets = async (pool: Pool, now: Date, least?: number): Promise<void> => {
  for (let days = await findFleetDays(pool); days.length > 0; days = await findFleetDays(pool))
    for (const day of days) if (!(await makeFleetDay(pool, day, least))) return;
  for (const month of await findFleetMonths(pool, now)) if (!(await makeFleetMonth(pool, month))) return;
};

/** Does all that is due: rows are restored, rollups of days in blocks alone and blocks are made, and rows deleted. */
export const runBlockWork = async (pool: Pool, now: Date, mode: BlockMode, watch: MakerWatch): Promise<void> => {
  await attemptAll([
    () => thawDueDays(pool, now, mode),
    () => rollUpAloneDays(pool, now),
    async () => (mode === 'off' ? undefined : makeDueDays(pool, now, watch)),
    async () => (mode === 'off' ? undefined : makeDueFleets(pool, now)),
    async () => (mode === 'alone' ? freezeDueDays(pool, now) : undefined),
  ]);
};

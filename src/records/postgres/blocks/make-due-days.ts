import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { makeDay } from './make-day.js';
import { findDueDays, type NotedDay } from './noted-day.js';

/** Called while days are made. */
export interface MakerWatch {
  /** Called before a day is made. */
  onDay(day: NotedDay): void;
  /** Called when a day cannot be in blocks. */
  onFault(day: NotedDay, fault: string): void;
}

/** Makes the blocks of all days that are due. Ends early if another process makes blocks. */
export const makeDueDays = async (pool: Pool, now: Date, { onDay, onFault }: MakerWatch): Promise<void> => {
  await requireServer(pool);
  for (;;) {
    const days = await findDueDays(pool, now);
    if (days.length === 0) return;
    for (const day of days) {
      onDay(day);
      const made = await makeDay(pool, day);
      if (made.outcome === 'busy') return;
      if (made.outcome === 'fault') onFault(day, made.fault);
    }
  }
};

/** First version of PostgreSQL whose text form of `"char"` restores every byte: backups have blocks in text form. */
const leastVersion = 160_000;

/** @throws Error if the server is too old for blocks */
export const requireServer = async (database: Queryable): Promise<void> => {
  const { rows } = await database.query<{ version: number }>(
    sql`select current_setting('server_version_num')::int as version`,
  );
  if (rows[0]!.version < leastVersion) throw new Error('Blocks of records need PostgreSQL 16 or newer.');
};

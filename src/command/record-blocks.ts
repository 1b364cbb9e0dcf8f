import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { thawDueDays } from '#records/postgres/blocks/alone-work.js';
import { countBlockDays } from '#records/postgres/blocks/block-days.js';
import type { BlockedDay } from '#records/postgres/blocks/block-rows.js';
import { drainBlocks } from '#records/postgres/blocks/delete-blocks.js';
import { makeDay, numberOwners } from '#records/postgres/blocks/make-day.js';
import { makeDueFleets } from '#records/postgres/blocks/make-due-days.js';
import { dayText, findFinishedDays, type NotedDay } from '#records/postgres/blocks/noted-day.js';
import { compareDay, listBlockedDays, noteDay } from '#records/postgres/blocks/verify-days.js';
import { addCommand, answer, type OutputOptions } from './command.js';
import { endProgress, showProgress } from './progress.js';
import { withDatabase } from './workplace.js';

/** Adds `ddp blocks ...`. */
export function addBlockCommands(group: Command): void {
  addCommand(
    group,
    'build',
    'Make the blocks of all finished days that lack them while the service runs; run it again to continue after an interruption.',
  ).action((options: OutputOptions) =>
    withDatabase(async ({ pool, now }) => answer(options, await build(pool, now)), { connections: 2 }),
  );
  addCommand(group, 'verify', 'Compare all blocks with their records. Days that differ are noted to be made again.')
    .addHelpText('after', '\nThe exit status is 1 if a day differs.')
    .action((options: OutputOptions) =>
      withDatabase(async ({ pool }) => answer(options, await verify(pool)), { connections: 2 }),
    );
  addCommand(
    group,
    'drain',
    'Restore the rows of all records and delete all blocks. With RECORD_BLOCKS the service makes the blocks again.',
  ).action((options: OutputOptions) => withDatabase(async ({ pool, now }) => answer(options, await drain(pool, now))));
}

/** Time between two tries while the service makes a day, in milliseconds. */
const patience = 500;

const build = async (pool: Pool, now: Date) => {
  await numberOwners(pool);
  const days = await findFinishedDays(pool, now);
  const faults: string[] = [];
  let [made, records] = [0, 0];
  for (const [index, day] of days.entries()) {
    showProgress(index, days.length, 'days');
    let done = await makeDay(pool, day);
    while (done.outcome === 'busy') {
      await pause(patience);
      done = await makeDay(pool, day);
    }
    if (done.outcome === 'fault') faults.push(`${nameOf(day)}: ${done.fault}`);
    if (done.outcome !== 'made') continue;
    made++;
    records += done.records;
  }
  await makeDueFleets(pool, now);
  endProgress();
  if (faults.length > 0) throw new Error(`${faults.length} days cannot be in blocks:\n${listOf(faults)}`);
  const { waiting } = await countBlockDays(pool, now);
  return { made: `${made} days, ${records} records`, waiting: `${waiting} days` };
};

const verify = async (pool: Pool) => {
  const days = await listBlockedDays(pool);
  const differences: string[] = [];
  let [same, records, stale] = [0, 0, 0];
  for (const [index, day] of days.entries()) {
    showProgress(index, days.length, 'days');
    const compared = await compareDay(pool, day);
    if (compared.outcome === 'same') {
      same++;
      records += compared.records;
    } else if (compared.outcome === 'stale') stale++;
    else {
      differences.push(`${nameOf(day)}: ${compared.difference}`);
      await noteDay(pool, day);
    }
  }
  endProgress();
  if (differences.length > 0)
    throw new Error(`${differences.length} days differ, and will be made again:\n${listOf(differences)}`);
  return { same: `${same} days, ${records} records`, stale: `${stale} days, whose records have changed since` };
};

const drain = async (pool: Pool, now: Date) => {
  await thawDueDays(pool, now, 'off');
  let days = 0;
  for (let some = await drainBlocks(pool); some > 0; some = await drainBlocks(pool)) {
    days += some;
    showProgress(days, 0, 'days');
  }
  endProgress();
  return { deleted: `${days} days` };
};

const nameOf = ({ organization_id, product_id, day }: NotedDay | BlockedDay): string =>
  `${dayText(day)} of product ${product_id ?? 'none'} of organization ${organization_id}`;

/** Number of days that a message names. */
const listed = 20;

const listOf = (lines: readonly string[]): string =>
  [...lines.slice(0, listed), ...(lines.length > listed ? ['...'] : [])].join('\n');

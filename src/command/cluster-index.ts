import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { readEnvironment } from '#config/config.js';
import type { ClusterTools } from '#records/opensearch/cluster-tools.js';
import { addCommand, answer, type OutputOptions } from './command.js';
import { endProgress, showProgress } from './progress.js';
import { withDatabase } from './workplace.js';

/** Adds `ddp index ...`. */
export function addIndexCommands(group: Command): void {
  addCommand(
    group,
    'build',
    'Copy all records into the cluster while the service runs; run it again to continue after an interruption.',
  ).action((options: OutputOptions) => withTools(async (tools) => answer(options, await build(tools))));
  addCommand(
    group,
    'drain',
    'Copy all records back into PostgreSQL while the service runs; run it again to continue after an interruption.',
  ).action((options: OutputOptions) => withTools(async (tools) => answer(options, await drain(tools))));
  addCommand(group, 'dead-letters', 'List records that the cluster refuses.')
    .option('--retry', 'try them again first')
    .action(({ retry, json }: OutputOptions & { retry?: boolean }) =>
      withTools(async (tools) => {
        const indexed = retry ? await tools.retryDeadLetters() : undefined;
        const letters = await tools.deadLetters();
        answer(
          { json },
          {
            ...(indexed !== undefined && { indexed: String(indexed) }),
            refused: letters.map(({ recordId, reason }) => `${recordId} (${reason})`),
          },
        );
      }),
    );
  addCommand(
    group,
    'repair',
    'Index the records of the last day again, in case the cluster lost some, and delete documents of devices that are gone.',
  ).action((options: OutputOptions) =>
    withTools(async (tools) => {
      const queued = await tools.queueJournal();
      answer(options, { queued: String(queued), deleted: String(await tools.removeOrphans()) });
    }),
  );
}

/** Number of records below which copying takes only a moment. */
const few = 5000;

const withTools = <T>(work: (tools: ClusterTools) => Promise<T>): Promise<T> => {
  const { cluster } = readEnvironment(false);
  if (!cluster) throw new Error('OPENSEARCH_URL must be set: it names the cluster.');
  return withDatabase(
    async ({ pool }) => {
      const { openClusterTools } = await import('#records/opensearch/cluster-tools.js');
      const tools = await openClusterTools(cluster, pool);
      try {
        return await work(tools);
      } finally {
        await tools.close();
      }
    },
    { connections: 4 },
  );
};

const build = async (tools: ClusterTools) => {
  await copyAll(tools, await tools.beginBuild());
  let { total, wrong, moved } = await tools.compareHours();
  const again = await tools.copyAgain(wrong);
  if (again > 0) {
    // Records committed meanwhile were copied too, so their hours must be compared as well.
    await copyAll(tools, total);
    ({ total, wrong, moved } = await tools.compareHours());
  }
  endProgress();
  if (wrong.length > 0)
    throw new Error(
      `The cluster differs in ${wrong.length} hours: ${wrong
        .slice(0, 10)
        .map(({ hour, stored, indexed }) => `${hour} has ${indexed} of ${stored}`)
        .join('; ')}. See "ddp index dead-letters", and build again.`,
    );
  return {
    compared: `${total} records, the same in every hour`,
    ...(again > 0 && { again: `${again} records, which the cluster had lost` }),
    next: moved
      ? '"ddp index repair", if the cluster has lost records: it brings back those of the last day that came after the move'
      : 'set RECORD_INDEX=opensearch and restart the processes one after another; they copy what comes meanwhile',
  };
};

/** Runs steps of the build until all records that existed before it are copied. */
const copyAll = async (tools: ClusterTools, total: number): Promise<void> => {
  for (;;) {
    const state = await tools.stepBuild();
    if (state?.phase === 'tail') return;
    if (state) showProgress(state.done, total);
    // Another process is running a step.
    else await pause(500);
  }
};

const drain = async (tools: ClusterTools) => {
  await tools.beginDrain();
  let done = 0;
  for (;;) {
    const state = await tools.stepDrain();
    if (state) showProgress((done = state.done), 0);
    if (state?.phase === 'tail') break;
    await (state ? undefined : pause(500));
  }
  // Records keep arriving. The processes that start next copy the rest.
  while (((await tools.followJournal()) ?? few) >= few) await pause(100);
  endProgress();
  return {
    copied: `${done} records`,
    next: 'set RECORD_INDEX=postgres and restart the processes one after another; they copy what comes meanwhile',
  };
};

import type { Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** CPU time of the thread in microseconds. */
  readonly tdur?: number;
}

/** The longest task that a page may have, in milliseconds of CPU time: beyond it a person notices that it hangs. */
export const longestTaskAllowed = 200;

/**
 * The longest task of a page's main thread while something goes on, in milliseconds of its CPU time: what a machine with
 * other work adds to the wall time does not count.
 */
export async function longestTask(page: Page, during: () => Promise<void>): Promise<number> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel'] });
  await during();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const main = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
  );
  // A task that goes on when the trace begins or ends has no duration.
  const times = traceEvents.flatMap((event) =>
    event.name.endsWith('RunTask') && main.has(threadOf(event)) ? (event.tdur ?? []) : [],
  );
  if (times.length === 0) throw new Error('The trace has no task of a page.');
  return Math.max(...times) / 1000;
}

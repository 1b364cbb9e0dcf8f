import type { Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** CPU time of the thread in microseconds. */
  readonly tdur?: number;
}

/** Longest allowed task of a page in milliseconds of CPU time: a user notices longer ones. */
export const longestTaskAllowed = 200;

/**
 * Returns the longest task of the page's main thread during `during`, in milliseconds of CPU time, so that other
 * programs on the machine do not count.
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
  // A task that is cut by the start or end of the trace has no duration.
  const times = traceEvents.flatMap((event) =>
    event.name.endsWith('RunTask') && main.has(threadOf(event)) ? (event.tdur ?? []) : [],
  );
  if (times.length === 0) throw new Error('The trace has no task of a page.');
  return Math.max(...times) / 1000;
}

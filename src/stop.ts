import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from './app.js';
import type { Log } from './log.js';

/** Longer than a service takes to end in order, whatever hangs. Milliseconds. */
export const stopTimeout = 15_000;

/**
 * Ends a service that was told to drain or to leave: it still answers for `stopDelay` milliseconds, so that who sends to
 * it learns of it, then it closes. What hangs is logged and left.
 */
export async function stopService(service: Service, stopDelay: number, log: Log): Promise<void> {
  await delay(stopDelay);
  const closed = service.close().then(() => true);
  const inTime = await Promise.race([closed, delay(stopTimeout, false, { ref: false })]);
  if (!inTime) log.error('The service did not end in order; what it left undone is done at the next start.');
}

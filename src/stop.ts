import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from './app.js';
import type { Log } from './log.js';

/** Longer than a service takes to end in order, whatever hangs. Milliseconds. */
export const stopTimeout = 15_000;

/** How long a service that has stopped accepting answers on connections that are open, at most. Milliseconds. */
const lastAnswers = 1000;

/**
 * Ends a service that was told to drain or to leave. It accepts and answers for `stopDelay` milliseconds, so that proxies
 * that ask for its readiness go elsewhere. Meanwhile it keeps connections: the others would open one for each request, and some
 * would wait to be accepted when it stops accepting. Only then each answer ends its connection, and at last it closes. What hangs
 * is logged and left.
 */
export async function stopService(service: Service, stopDelay: number, log: Log): Promise<void> {
  await delay(stopDelay);
  await service.leave();
  await delay(Math.min(stopDelay, lastAnswers));
  const closed = service.close().then(() => true);
  const inTime = await Promise.race([closed, delay(stopTimeout, false, { ref: false })]);
  if (!inTime) log.error('The service did not end in order; what it left undone is done at the next start.');
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#common/log.js';

/** Limit of a shutdown in milliseconds, longer than an orderly one takes. */
export const stopTimeout = 15_000;

/**
 * Maximum time in milliseconds for which the service still answers on open connections after it stopped accepting new
 * ones.
 */
const lastAnswers = 1000;

/** The parts of a service that end it. */
interface Stopped {
  /** Makes each answer end its connection. */
  leave: () => Promise<unknown>;
  close: () => Promise<void>;
}

/**
 * Shuts down a service that was told to drain or to leave.
 * The service accepts and answers for `stopDelay` milliseconds, so that proxies which check its readiness go elsewhere.
 * Meanwhile connections are kept: otherwise clients would open one per request, and some of those would wait to be
 * accepted when the service stops accepting.
 * Then every answer ends its connection, and finally the service closes. A shutdown that takes too long is logged and
 * abandoned.
 */
export async function stopService(service: Stopped, stopDelay: number, log: Log): Promise<void> {
  await delay(stopDelay);
  await service.leave();
  await delay(Math.min(stopDelay, lastAnswers));
  const closed = service.close().then(() => true);
  const inTime = await Promise.race([closed, delay(stopTimeout, false, { ref: false })]);
  if (!inTime) log.error('Service did not stop cleanly; the next start completes its work');
}

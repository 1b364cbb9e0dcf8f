import { setTimeout as delay } from 'node:timers/promises';

/**
 * Resolves when a condition holds. The condition is checked every 20 ms.
 * @throws after a minute.
 */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const end = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('The condition did not hold within a minute.');
    await delay(20);
  }
};

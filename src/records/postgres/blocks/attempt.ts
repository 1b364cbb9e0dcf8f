/** Number of failures after which the rest is not tried: the database may be gone. */
const mostFailures = 10;

/**
 * Does one piece of work after the other, so that a day that fails keeps no other one waiting.
 * @throws what the first one threw that failed, at the end
 */
export const attemptAll = async (works: readonly (() => Promise<void>)[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const work of works) {
    await work().catch((error: unknown) => failures.push(error));
    if (failures.length === mostFailures) break;
  }
  if (failures.length > 0) throw failures[0];
};

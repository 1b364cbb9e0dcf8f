import { describe, it } from '@jest/globals';

/** Defines a test that runs if a condition holds. Otherwise it is skipped, and the title says why. */
export const itIf = (condition: boolean, reason: string) => {
  const run = condition ? it : it.skip;
  return (title: string, test: () => Promise<void>, timeout?: number): void =>
    run(titleOf(title, condition, reason), test, timeout);
};

/** Describes tests that run if a condition holds. Otherwise they are skipped, and the title says why. */
export const describeIf = (condition: boolean, reason: string) => {
  const suite = condition ? describe : describe.skip;
  return (title: string, tests: () => void): void => suite(titleOf(title, condition, reason), tests);
};

const titleOf = (title: string, runs: boolean, reason: string): string =>
  runs ? title : `${title} (skipped: ${reason})`;

import { describe, expect, it } from '@jest/globals';
import { releaseMemory, releaseWhenQuiet } from '../../src/runtime/memory.js';
import { until } from '../support/until.js';

const mebibyte = 2 ** 20;

/** Fills 200 MiB with garbage. Returns the memory of the process with it. */
const fill = (): number => {
  const lists = Array.from({ length: 200 }, (_, index) => Array.from({ length: mebibyte / 8 }, () => index / 3));
  return lists.length > 0 ? process.memoryUsage.rss() : 0;
};

describe('memory of the process', () => {
  it('goes back to the operating system when it is released', () => {
    const full = fill();
    releaseMemory();
    expect(full - process.memoryUsage.rss()).toBeGreaterThan(100 * mebibyte);
  });

  it('goes back when the process has become quiet', async () => {
    const stop = releaseWhenQuiet({ every: 200, growth: 100 * mebibyte });
    const full = fill();
    await until(() => full - process.memoryUsage.rss() > 100 * mebibyte);
    stop();
    expect(process.memoryUsage.rss()).toBeLessThan(full - 100 * mebibyte);
  });
});

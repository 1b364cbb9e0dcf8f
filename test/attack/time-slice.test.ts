import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { TimeSlices } from '#scheduling/time-slice.js';

/** Computes for the given time in slices; returns the number of event loop iterations. */
const compute = async (slices: TimeSlices, organizationId: string, milliseconds: number): Promise<number> => {
  let iterations = 0;
  const count = () => {
    iterations += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  for (let spent = 0; spent < milliseconds; spent += 1) {
    if (slices.isOver(organizationId)) await slices.next(organizationId);
    for (const end = performance.now() + 1; performance.now() < end; );
  }
  clearImmediate(counting);
  return iterations;
};

describe('time slices', () => {
  it('grants all computations of one organization one slice per event loop iteration', async () => {
    const slices = new TimeSlices();
    const many = await Promise.all(Array.from({ length: 10 }, () => compute(slices, 'one', 20)));
    // The work takes 200 ms, and each step is longer than a slice.
    expect(Math.max(...many)).toBeGreaterThanOrEqual(20);
  });

  it("finishes another organization's short computation in its first slice, however many computations one organization has", async () => {
    const slices = new TimeSlices();
    const many = Promise.all(Array.from({ length: 50 }, () => compute(slices, 'greedy', 10)));
    const [done] = await Promise.all([compute(slices, 'modest', 1), many]);
    expect(done).toBeLessThanOrEqual(1);
  });

  it("shortens an organization's slice while another one computes", async () => {
    const slices = new TimeSlices();
    slices.isOver('one', 0);
    await turn();
    const alone = [20_000, 20_001, 20_002].map((now) => slices.isOver('one', now));
    expect(alone).toEqual([false, false, true]);
    slices.isOver('other', 20_002);
    await turn();
    const beside = [20_003, 20_004].map((now) => slices.isOver('one', now));
    expect(beside).toEqual([false, true]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { dueAfter } from '#alerts/outage.js';

describe('due time of a silence rule', () => {
  it('excludes an outage of the service', () => {
    expect(dueAfter(0, 60, [{ begunAt: 10, endedAt: 110 }])).toBe(160);
  });

  it('excludes only the part of an outage after the last arrival', () => {
    expect(dueAfter(50, 60, [{ begunAt: 10, endedAt: 110 }])).toBe(170);
  });

  it('ignores outages that ended before the last arrival or begin after the silence is due', () => {
    const outages = [
      { begunAt: 0, endedAt: 40 },
      { begunAt: 200, endedAt: 300 },
    ];
    expect(dueAfter(50, 60, outages)).toBe(110);
  });
});

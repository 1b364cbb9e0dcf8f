import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fold, initialState, type Sample } from '#alerts/fold.js';
import { overlaps } from '#alerts/overlap.js';
import { AlertOperator } from '#entities/alert-condition.js';

const bits = fc.constantFrom(true, false, undefined);
const samples = fc
  .uniqueArray(fc.record({ ts: fc.integer({ min: 0, max: 500 }), when: bits, until: bits }), {
    selector: ({ ts }) => ts,
  })
  .map((all): Sample[] => all.map((sample) => ({ ...sample, record: sample.ts })).toSorted((a, b) => a.ts - b.ts));
const rules = fc.record({ for: fc.integer({ min: 0, max: 60 }), maxGap: fc.integer({ min: 1, max: 60 }) });
const at = (ts: number, when: boolean, until = !when): Sample => ({ ts, when, until, record: ts });

describe('evaluation of a threshold rule', () => {
  it('returns the same changes however records are split into batches', () => {
    fc.assert(
      fc.property(rules, samples, fc.array(fc.nat(500)), (rule, all, cuts) => {
        const whole = fold(rule, initialState, all);
        const batches = Object.values(
          Object.groupBy(all, ({ ts }) => String(cuts.filter((cut) => cut <= ts).length).padStart(4, '0')),
        );
        let state = initialState;
        const changes = batches.flatMap((batch) => {
          const part = fold(rule, state, batch!);
          state = part.state;
          return part.changes;
        });
        expect({ state, changes }).toEqual(whole);
      }),
    );
  });

  it('opens once the condition has held for the time `for`', () => {
    const { changes } = fold({ for: 10, maxGap: 60 }, initialState, [at(0, true), at(5, true), at(10, true)]);
    expect(changes.map(({ kind, sample }) => [kind, sample.ts])).toEqual([['opened', 10]]);
  });

  it('counts `for` from the first record after a gap longer than maxGap', () => {
    const { changes } = fold({ for: 10, maxGap: 60 }, initialState, [at(0, true), at(100, true), at(110, true)]);
    expect(changes.map(({ sample }) => sample.ts)).toEqual([110]);
  });

  it('stays open until the second condition holds', () => {
    const { changes } = fold({ for: 0, maxGap: 60 }, initialState, [at(0, true), at(1, false, false), at(2, false)]);
    expect(changes.map(({ kind, sample }) => [kind, sample.ts])).toEqual([
      ['opened', 0],
      ['closed', 2],
    ]);
  });
});

describe('conditions of an alert rule', () => {
  const compare = (variable: string, operator: AlertOperator, value: number | boolean) => ({
    variable,
    operator,
    value,
  });
  it('overlaps when one record can meet both conditions', () => {
    const above = { all: [compare('t', AlertOperator.gt, 8)] };
    expect(overlaps(above, { all: [compare('t', AlertOperator.lt, 6)] })).toBe(false);
    expect(overlaps(above, { all: [compare('t', AlertOperator.lt, 9)] })).toBe(true);
    expect(overlaps(above, { any: [compare('door', AlertOperator.eq, false)] })).toBe(true);
  });
});

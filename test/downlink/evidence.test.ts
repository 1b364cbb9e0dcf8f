import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Evidence, findState, stateOrder } from '#downlink/evidence.js';
import { EvidenceKind, type EvidenceKindName } from '#entities/command.js';

const kinds = Object.keys(EvidenceKind) as EvidenceKindName[];
const evidence: fc.Arbitrary<Evidence> = fc.record({
  kind: fc.constantFrom(...kinds),
  at: fc.integer({ min: 0, max: 3 }),
  code: fc.option(fc.constantFrom('NO_ANSWER', 'TOO_LARGE')),
  detail: fc.option(fc.jsonValue({ maxDepth: 1 })),
});

describe('state of a command', () => {
  it('depends on neither the order nor the repetition of its evidence', () => {
    const shuffled = fc
      .array(evidence, { maxLength: 12 })
      .chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: 0 }), fc.boolean()),
      );
    fc.assert(
      fc.property(shuffled, ([all, some, confirmed]) => {
        const again = [...some, ...all.toReversed()];
        expect(findState(again, confirmed)).toEqual(findState(all, confirmed));
      }),
    );
  });

  it('equals the highest that any evidence speaks for', () => {
    fc.assert(
      fc.property(fc.array(evidence), fc.boolean(), (all, confirmed) => {
        const order = stateOrder(confirmed);
        const ranks = all.map(({ kind }) => order.indexOf(kind as never));
        expect(order.indexOf(findState(all, confirmed).state)).toBe(Math.max(0, ...ranks));
      }),
    );
  });

  it('lets failure outweigh transmission of a confirmed command alone', () => {
    const both: Evidence[] = [
      { kind: 'transmitted', at: 1 },
      { kind: 'failed', at: 2, code: 'NOT_CONFIRMED' },
    ];
    expect(findState(both, true)).toMatchObject({ state: 'failed', by: { code: 'NOT_CONFIRMED' } });
    expect(findState(both, false)).toMatchObject({ state: 'transmitted' });
  });

  it('rises when evidence comes after an end', () => {
    expect(
      findState(
        [
          { kind: 'expired', at: 1 },
          { kind: 'received', at: 2 },
        ],
        false,
      ).state,
    ).toBe('received');
    expect(
      findState(
        [
          { kind: 'cancelled', at: 1 },
          { kind: 'answered', at: 2 },
        ],
        true,
      ).state,
    ).toBe('answered');
  });
});

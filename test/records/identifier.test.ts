import { randomFillSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createIdentifiers, type IdentifierSources, isId, timeOf } from '#entities/id.js';

const noon = Date.UTC(2026, 10, 28, 12);

/** Returns the counter of an identifier: 11 bits after the version, and 20 after the variant. */
const counterOf = (id: string): number => {
  const bits = BigInt(`0x${id.replaceAll('-', '')}`);
  return Number((((bits >> 64n) & 0x7ffn) << 20n) | ((bits >> 42n) & 0xfffffn));
};

/** Returns the last 42 bits of an identifier. */
const ownBitsOf = (id: string): bigint => BigInt(`0x${id.replaceAll('-', '')}`) & ((1n << 42n) - 1n);

const atNoon = (sources: IdentifierSources = {}) => createIdentifiers({ now: () => noon, ...sources });
/** Draws the highest numbers, so that a counter starts at its last one. */
const highest = (bytes: Uint8Array) => void bytes.fill(255);

describe('newRecordId', () => {
  it('creates a UUID of version 7 with the arrival', () => {
    const { newRecordId } = atNoon();
    expect(newRecordId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-7][0-9a-f]{2}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOf(newRecordId())).toBe(noon);
    expect(timeOf(newRecordId(noon + 5))).toBe(noon + 5);
    expect(isId(newRecordId())).toBe(true);
  });

  it('counts on over the milliseconds, whatever else gets an identifier, and keeps the bits of the process', () => {
    const { newId, newRecordId } = atNoon();
    const ids = [0, 0, 3, 3, 1000].map((later) => {
      newId();
      return newRecordId(noon + later);
    });
    const first = counterOf(ids[0]!);
    expect(ids.map(counterOf)).toEqual([0, 1, 2, 3, 4].map((n) => first + n));
    expect(new Set(ids.map(ownBitsOf)).size).toBe(1);
  });

  it('differs between processes at the same time', () => {
    const processes = Array.from({ length: 100 }, () => atNoon());
    const ids = processes.flatMap(({ newRecordId }) => Array.from({ length: 100 }, () => newRecordId()));
    expect(new Set(ids).size).toBe(10_000);
    expect(new Set(ids.map(ownBitsOf)).size).toBe(100);
    expect(new Set(ids.map(counterOf)).size).toBeGreaterThan(9000);
  });

  it('goes on in the next millisecond after the last number of the counter', () => {
    const { newId, newRecordId } = atNoon({ draw: highest });
    const ids = [newRecordId(), newRecordId(), newRecordId(), newId()];
    expect(ids.slice(0, 3).map(counterOf)).toEqual([2 ** 31 - 1, 0, 1]);
    expect(ids.map(timeOf)).toEqual([noon, noon + 1, noon + 1, noon + 1]);
    expect(ids.toSorted()).toEqual(ids);
  });
});

describe('newId', () => {
  it('draws new bits for each identifier', () => {
    const { newId } = atNoon();
    const ids = Array.from({ length: 1000 }, () => newId());
    expect(new Set(ids.map(ownBitsOf)).size).toBe(1000);
    expect(ids.toSorted()).toEqual(ids);
    expect(ids.every(isId)).toBe(true);
  });

  it('starts its counter at random in each millisecond', () => {
    let now = noon;
    const { newId } = createIdentifiers({ now: () => now++ });
    expect(new Set(Array.from({ length: 100 }, () => counterOf(newId()))).size).toBeGreaterThan(95);
  });

  it('goes on in the next millisecond after the last number of the counter', () => {
    const { newId } = atNoon({ draw: highest });
    expect([newId(), newId()].map(timeOf)).toEqual([noon, noon + 1]);
  });
});

it('creates identifiers that differ and keep their order, also when the clock steps back', () => {
  const step = fc.record({
    isRecord: fc.boolean(),
    passed: fc.oneof(fc.constant(0), fc.integer({ min: -5000, max: 5000 })),
  });
  const draw = fc.constantFrom((bytes: Uint8Array) => void randomFillSync(bytes), highest);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), draw, (steps, fill) => {
      let now = noon;
      const { newId, newRecordId } = createIdentifiers({ now: () => now, draw: fill });
      const made = steps.map(({ isRecord, passed }) => {
        now += passed;
        return { isRecord, id: isRecord ? newRecordId(now) : newId() };
      });
      expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
      const [records, others] = [true, false].map((which) =>
        made.flatMap(({ isRecord, id }) => (isRecord === which ? id : [])),
      );
      expect(records!.toSorted()).toEqual(records);
      expect(others!.toSorted()).toEqual(others);
      let newest = '';
      for (const { isRecord, id } of made) {
        if (isRecord) newest = id;
        else expect(id > newest).toBe(true);
      }
    }),
  );
});

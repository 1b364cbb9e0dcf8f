import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLttb } from '#records/answer/lttb.js';

type Point = readonly [ts: number, value: number];

const draw = (points: readonly Point[], most: number): Point[] => {
  const line = createLttb(points.length, most);
  for (const [ts, value] of points) line.push(ts, value);
  const { ts, values } = line.end();
  return ts.map((each, index) => [each, values[index]!]);
};

/** LTTB as published in its paper, over a whole array at once. */
const byThePaper = (points: readonly Point[], most: number): Point[] => {
  if (points.length <= most) return [...points];
  const size = (points.length - 2) / (most - 2);
  const bucket = (index: number) => points.slice(Math.floor(index * size) + 1, Math.floor((index + 1) * size) + 1);
  const kept: Point[] = [points[0]!];
  for (let index = 0; index < most - 2; index++) {
    const next = index === most - 3 ? [points.at(-1)!] : bucket(index + 1);
    const mean = [0, 1].map((axis) => next.reduce((sum, point) => sum + point[axis as 0 | 1] / next.length, 0));
    const [ax, ay] = kept.at(-1)!;
    const area = ([x, y]: Point) => Math.abs((ax - mean[0]!) * (y - ay) - (ax - x) * (mean[1]! - ay));
    kept.push(bucket(index).reduce((best, point) => (area(point) > area(best) ? point : best)));
  }
  return [...kept, points.at(-1)!];
};

const line = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: -1000, max: 1000 })), { maxLength: 300 })
  .map((steps) => {
    let ts = 1_700_000_000;
    return steps.map(([step, value]): Point => [(ts += step), value]);
  });
const most = fc.integer({ min: 3, max: 60 });

describe('LTTB downsampling', () => {
  it('returns the requested number of points, or all when there are fewer', () => {
    fc.assert(fc.property(line, most, (points, n) => draw(points, n).length === Math.min(points.length, n)));
  });

  it('keeps the first and the last point', () => {
    fc.assert(
      fc.property(line, most, (points, n) => {
        fc.pre(points.length > 0);
        const drawn = draw(points, n);
        expect([drawn[0], drawn.at(-1)]).toEqual([points[0], points.at(-1)]);
      }),
    );
  });

  it('returns only measured points, in order of time', () => {
    fc.assert(
      fc.property(line, most, (points, n) => {
        let from = 0;
        for (const [ts, value] of draw(points, n)) {
          const at = points.findIndex((point, index) => index >= from && point[0] === ts && point[1] === value);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + 1;
        }
      }),
    );
  });

  it('selects the same points as the published algorithm', () => {
    fc.assert(fc.property(line, most, (points, n) => expect(draw(points, n)).toEqual(byThePaper(points, n))));
  });

  it('keeps a lone peak', () => {
    const flat = Array.from({ length: 10_000 }, (_, index): Point => [index, index === 7123 ? 99 : 0]);
    expect(draw(flat, 50)).toContainEqual([7123, 99]);
  });
});

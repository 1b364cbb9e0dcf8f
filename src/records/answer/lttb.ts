/** Reduces the points of one line. Points must be pushed in order of time. */
export interface Downsampler {
  push(ts: number, value: number): void;
  /** Returns the points that are kept, once all have been pushed. */
  end(): { ts: number[]; values: number[] };
}

interface Point {
  ts: number;
  value: number;
}

/**
 * Largest-Triangle-Three-Buckets (S. Steinarsson, Downsampling Time Series for Visual Representation, University of
 * Iceland 2013, section 4.2). The first and the last point stay. The points between are cut into `points - 2` buckets
 * of equal size. Of each bucket it keeps the point that makes the largest triangle with the point kept before it and
 * the mean of the next bucket. It holds two buckets at a time.
 * @param count number of points that will be pushed
 * @param points maximum number of points to keep, 3 or more
 */
export const createLttb = (count: number, points: number): Downsampler => {
  const chosen: { ts: number[]; values: number[] } = { ts: [], values: [] };
  const keep = ({ ts, value }: Point) => {
    chosen.ts.push(ts);
    chosen.values.push(value);
  };
  const keepsAll = count <= points;
  const size = (count - 2) / (points - 2);
  // Points 1 to count - 2 are bucketed. Bucket b begins at b * size.
  const startOf = (bucket: number) => Math.floor(bucket * size) + 1;
  let index = 0;
  let bucket = 0;
  let before: Point | undefined;
  let waiting: Point[] = [];
  let filling: Point[] = [];

  const choose = (mean: Point): void => {
    if (waiting.length === 0) return;
    let best = waiting[0]!;
    let largest = -1;
    for (const point of waiting) {
      const area = triangle(before!, point, mean);
      if (area <= largest) continue;
      largest = area;
      best = point;
    }
    keep(best);
    before = best;
  };
  const close = (): void => {
    choose(meanOf(filling));
    waiting = filling;
    filling = [];
    bucket += 1;
  };
  return {
    push(ts, value) {
      const point = { ts, value };
      const at = index++;
      if (keepsAll) return keep(point);
      if (at === 0) {
        keep(point);
        before = point;
      } else if (at === count - 1) {
        close();
        choose(point);
        keep(point);
      } else {
        if (at >= startOf(bucket + 1)) close();
        filling.push(point);
      }
    },
    end: () => chosen,
  };
};

/** Returns twice the area of a triangle, for comparisons. */
const triangle = (a: Point, b: Point, c: Point): number =>
  Math.abs((a.ts - c.ts) * (b.value - a.value) - (a.ts - b.ts) * (c.value - a.value));

const meanOf = (points: readonly Point[]): Point => {
  let [ts, value] = [0, 0];
  for (const point of points) {
    ts += point.ts / points.length;
    value += point.value / points.length;
  }
  return { ts, value };
};

import { describe, expect, it } from '@jest/globals';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { useWorld, worldNow } from './world.js';

type Plain = { [key: string]: PlainJson };

/** Buckets of 1, 5, 1 and 3 records. */
const counts = [1, 5, 1, 3];
const world = useWorld({
  products: { probe: [{ name: 'n', type: VariableType.INT64 }] },
  devices: [{ serial: '01', product: 'probe' }],
  records: counts.flatMap((count, bucket) =>
    Array.from({ length: count }, (_, index) => ({
      serial: '01',
      ts: worldNow / 1000 - 1000 + bucket * 10 + index,
      data: { n: bucket * 10 },
    })),
  ),
});

/** Returns the key of each remaining bucket with the value of the named pipeline aggregation. */
const left = async (pipelines: Plain, name: string): Promise<unknown[]> => {
  const aggs = { a: { histogram: { field: 'data.n', interval: 10 }, aggs: pipelines } };
  const answer = (await world.ask({ size: 0, aggs })) as unknown as {
    aggregations: { a: { buckets: Record<string, any>[] } };
  };
  return answer.aggregations.a.buckets.map((bucket) => [bucket['key'], bucket[name]?.value]);
};

const selector = { bucket_selector: { buckets_path: { c: '_count' }, script: 'params.c > 1' } };
const derivative = { derivative: { buckets_path: '_count' } };
const sum = { cumulative_sum: { buckets_path: '_count' } };
const names = [
  ['ql', 'qd'],
  ['qd', 'ql'],
  ['a', 'b'],
  ['b', 'a'],
  ['Z', 'a'],
];

describe.each(names)('pipeline aggregations named %s and %s', (first, second) => {
  it('removes buckets before the derivative when the selector is written first', async () => {
    expect(await left({ [first!]: selector, [second!]: derivative }, second!)).toEqual([
      [10, undefined],
      [30, -2],
    ]);
  });

  it('removes buckets after the derivative when the selector is written last', async () => {
    expect(await left({ [first!]: derivative, [second!]: selector }, first!)).toEqual([
      [10, 4],
      [30, 2],
    ]);
  });

  it('sums the sorted buckets when bucket_sort is written first, and sorts the sums when it is written last', async () => {
    const sort = { bucket_sort: { sort: [{ _count: 'desc' }], size: 2 } };
    expect(await left({ [first!]: sort, [second!]: sum }, second!)).toEqual([
      [10, 5],
      [30, 8],
    ]);
    expect(await left({ [first!]: sum, [second!]: sort }, first!)).toEqual([
      [10, 6],
      [30, 10],
    ]);
  });

  it('lets a bucket_selector read a pipeline aggregation that is written after it', async () => {
    const reader = { bucket_selector: { buckets_path: { d: second! }, script: 'params.d > 0' } };
    expect(await left({ [first!]: reader, [second!]: derivative }, second!)).toEqual([
      [10, 4],
      [30, 2],
    ]);
  });
});

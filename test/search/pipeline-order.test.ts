import { describe, expect, it } from '@jest/globals';
import { VariableType } from '../../src/entities/enums.js';
import type { PlainJson } from '../../src/json.js';
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

/** The keys of the buckets that are left, with what a pipeline made of each. */
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

describe.each(names)('pipelines named %s and %s', (first, second) => {
  it('leave buckets out before a derivative where the selector is written first', async () => {
    expect(await left({ [first!]: selector, [second!]: derivative }, second!)).toEqual([
      [10, undefined],
      [30, -2],
    ]);
  });

  it('leave buckets out after a derivative where the selector is written last', async () => {
    expect(await left({ [first!]: derivative, [second!]: selector }, first!)).toEqual([
      [10, 4],
      [30, 2],
    ]);
  });

  it('add up what a sort leaves, in its order', async () => {
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

  it('read a pipeline that is written after them', async () => {
    const reader = { bucket_selector: { buckets_path: { d: second! }, script: 'params.d > 0' } };
    expect(await left({ [first!]: reader, [second!]: derivative }, second!)).toEqual([
      [10, 4],
      [30, 2],
    ]);
  });
});

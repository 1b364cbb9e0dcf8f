import { expect, it } from '@jest/globals';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { useWorld, worldNow } from './world.js';

const noon = worldNow / 1000;
const world = useWorld({
  products: { probe: [{ name: 'x', type: VariableType.FLOAT32 }] },
  devices: [{ serial: '01', product: 'probe' }, { serial: '02' }],
  records: [
    { serial: '01', ts: noon - 60, data: { x: 1e-200 } },
    { serial: '01', ts: noon - 50, data: { x: [1e-200, 2] } },
    { serial: '02', ts: noon - 40, data: { free: [-1e300, 1e-3, 1e300] } },
    { serial: '02', ts: noon - 30, data: { free: [1e-3] } },
  ],
});
const ask = async (query: { [key: string]: PlainJson }) =>
  (await world.ask(query)) as unknown as {
    hits: { hits: { sort: unknown[] }[] };
    aggregations: Record<string, unknown>;
  };

it('returns extended_stats for values whose squares are too small for a double', async () => {
  const statistics = { extended_stats: { field: 'data.x' } };
  const byScatter = {
    terms: { field: 'device.id', order: { 's.variance': 'desc' } },
    aggs: { s: { extended_stats: { field: 'data.x' } } },
  };
  const { aggregations } = await ask({ size: 0, aggs: { statistics, byScatter } });
  expect(aggregations['statistics']).toMatchObject({ count: 3, sum_of_squares: 4, min: 1e-200 });
});

it('formats a small metric with all of its digits when the format is empty', async () => {
  const aggs = {
    low: { min: { field: 'data.x', format: '' } },
    none: { max: { field: 'data.no', missing: 1.25e-150, format: '' } },
  };
  const { aggregations } = await ask({ size: 0, aggs });
  expect(aggregations).toMatchObject({
    low: { value_as_string: `.${'0'.repeat(199)}1` },
    none: { value_as_string: `.${'0'.repeat(149)}125` },
  });
});

it('adds the values of an array from the smallest to the largest in a sort with mode sum', async () => {
  const query = { exists: { field: 'data.free' } };
  const { hits } = await ask({ query, sort: [{ 'data.free': { order: 'asc', mode: 'sum' } }] });
  expect(hits.hits.map(({ sort: [key] }) => key)).toEqual([0, 1e-3]);
});

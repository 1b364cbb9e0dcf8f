import type { Dice } from './dice.js';
import { anyField, missingOf, numbers, texts, zone } from './value.js';

/** Generates one bucket aggregation. */
export type Make = (dice: Dice) => object;

/** Whether buckets are ordered by their keys. */
export const keyed = (dice: Dice): object => dice.maybe(0.2, () => ({ keyed: dice.loose(dice.chance(0.8)) }));

const order = (dice: Dice): object =>
  dice.maybe(0.25, () => ({
    order: dice.pick<object>(
      { _key: 'desc' },
      { _key: 'asc' },
      { _count: 'desc' },
      { _count: 'asc' },
      { a0: 'desc' },
      [],
    ),
  }));

/** Intervals of every unit, sometimes an invalid one. */
const interval = (dice: Dice): object => {
  if (dice.chance(0.1))
    return dice.pick<object>(
      {
        fixed_interval: dice.pick(
          '1M',
          '1w',
          '1q',
          '1y',
          '1.5d',
          '1.5h',
          'day',
          'd',
          '0d',
          '-1d',
          '0',
          '-1',
          '5',
          '',
          '1d1h',
        ),
      },
      { calendar_interval: dice.pick('2d', 'd', '1D', 'M', 'ms', '1ms', 'days', '1.5d', '', '0d', '2M', '-1M', 'DAY') },
      {
        interval: dice.pick(
          '2M',
          '1q',
          '1M',
          '2w',
          '1w',
          '1.5d',
          'day',
          'd',
          '0d',
          '36h',
          '1D',
          '2d',
          '-1d',
          '864000000',
          'M',
          'year',
          '2y',
        ),
      },
      { interval: dice.pick<unknown>(86_400_000, 0, -1, 5.5e8, 1.5e9) },
      { fixed_interval: '1d', calendar_interval: '1d' },
      { fixed_interval: '1d', interval: '1d' },
      {},
    );
  return dice.chance(0.5)
    ? { calendar_interval: dice.pick('hour', '1h', '1d', 'day', 'week', '1w', 'month', '1M', 'quarter', 'year', '1y') }
    : {
        fixed_interval: dice.pick(
          '3h',
          '12h',
          '1d',
          '7d',
          '90m',
          '1h',
          '30d',
          '36h',
          '45m',
          '1D',
          '7 d',
          '5400s',
          '86400000ms',
          '2H',
          ' 1d',
        ),
      };
};

export const dateHistogram: Make = (dice) => {
  const bounds = () =>
    dice.pick<object>(
      { min: '2026-03-20', max: '2026-04-10' },
      { min: 1774742400000, max: 1775742400000 },
      { min: '2026-10-25' },
    );
  return {
    date_histogram: {
      field: 'ts',
      ...interval(dice),
      ...dice.maybe(0.7, () => ({ min_doc_count: dice.pick(0, 1, 1, 3) })),
      ...dice.maybe(0.5, () => ({ time_zone: zone(dice) })),
      ...dice.maybe(0.25, () => ({
        offset: dice.pick<unknown>(
          '+6h',
          '-90m',
          '1d',
          '30m',
          '-1h',
          '+45m',
          '1D',
          3_600_000,
          '+1.5h',
          '1M',
          '5',
          '-0',
          '0',
        ),
      })),
      ...dice.maybe(0.15, () => ({
        format: dice.pick(
          'yyyy-MM-dd',
          'epoch_millis',
          'dd/MM/yyyy HH:mm',
          'yyyy-MM-dd HH:mmXXX',
          'epoch_second',
          'EEE d MMM',
          'strict_date_time',
          'yyyy||epoch_millis',
          '',
        ),
      })),
      ...dice.maybe(0.15, () => ({ extended_bounds: bounds() })),
      ...dice.maybe(0.1, () => ({ hard_bounds: bounds() })),
      ...dice.maybe(0.05, () => ({ missing: '2026-05-01' })),
      ...keyed(dice),
      ...order(dice),
    },
  };
};

export const histogram: Make = (dice) => ({
  histogram: {
    field: dice.pick<string>(
      'data.n',
      'data.k',
      'metadata.rssi',
      'metadata.level',
      'metadata.level',
      'nope',
      'data.on',
      'data.txt',
    ),
    interval: dice.chance(0.04) ? dice.pick<unknown>(0, -1, 'abc', null) : dice.loose(dice.pick(1, 5, 2.5, 100, 50)),
    ...dice.maybe(0.3, () => ({ offset: dice.pick(1, 0.5, -3, 7) })),
    ...dice.maybe(0.7, () => ({ min_doc_count: dice.pick(0, 1, 1, 5) })),
    ...dice.maybe(0.15, () => ({
      extended_bounds: dice.pick<object>({ min: -20, max: 30 }, { min: 0 }, { max: '50' }),
    })),
    ...dice.maybe(0.1, () => ({ hard_bounds: dice.pick<object>({ min: 0, max: 30 }, { min: 2 }, { max: 100 }) })),
    ...dice.maybe(0.15, () => ({ missing: 2 })),
    ...dice.maybe(0.1, () => ({ format: '0.0' })),
    ...keyed(dice),
    ...order(dice),
  },
});

export const composite: Make = (dice) => {
  const direction = () => dice.maybe(0.5, () => ({ order: dice.pick('asc', 'desc') }));
  const missing = () =>
    dice.maybe(0.3, () => ({
      ...dice.maybe(0.9, () => ({ missing_bucket: dice.chance(0.9) })),
      ...dice.maybe(0.4, () => ({ missing_order: dice.pick('first', 'last', 'default', 'LAST') })),
    }));
  const source = () =>
    dice.one<object>(
      () => ({
        terms: {
          field: dice.pick<string>(...texts, 'data.k', 'data.n', 'data.on', 'metadata.rssi', 'ts', 'nope'),
          ...direction(),
          ...missing(),
        },
      }),
      () => ({
        histogram: {
          field: dice.pick('data.k', 'data.n', 'data.t', 'metadata.rssi', 'metadata.level'),
          interval: dice.pick(5, 50, 2.5),
          ...direction(),
          ...missing(),
        },
      }),
      () => ({
        date_histogram: {
          field: 'ts',
          ...interval(dice),
          ...direction(),
          ...dice.maybe(0.4, () => ({ time_zone: zone(dice) })),
          ...dice.maybe(0.2, () => ({ offset: dice.pick('+6h', '-90m') })),
          ...dice.maybe(0.3, () => ({ format: dice.pick('yyyy-MM-dd', "yyyy-MM-dd'T'HH:mm:ssXXX", 'epoch_millis') })),
        },
      }),
    );
  return {
    composite: {
      sources: dice.some(1, 3, source).map((made, index) => ({ [`s${index}`]: made })),
      ...dice.maybe(0.9, () => ({ size: dice.chance(0.03) ? dice.pick(0, -1) : dice.pick(1, 3, 10, 100) })),
    },
  };
};

/** Aggregations over locations. */
export const places: readonly Make[] = [
  (dice) => ({
    geo_distance: {
      field: 'device.location',
      origin: dice.pick<unknown>({ lat: 48.85, lon: 2.35 }, '52.5,13.4', [0, 0]),
      ranges: dice.pick<object[]>(
        [{ to: 10 }, { from: 10, to: 2000 }, { from: 2000, key: 'far' }],
        [{ from: 10 }],
        [{ to: 10 }, { to: 2000 }],
      ),
      ...dice.maybe(0.8, () => ({ unit: dice.pick('km', 'mi', 'm') })),
      ...keyed(dice),
    },
  }),
  (dice) => ({
    geohash_grid: {
      field: 'device.location',
      ...dice.maybe(0.8, () => ({
        precision: dice.chance(0.2)
          ? dice.pick('100km', '5 m', '1mm')
          : dice.loose(dice.pick(1, 3, 5, 8, 12, 12, 0, 13)),
      })),
      ...dice.maybe(0.3, () => ({ size: 2 })),
    },
  }),
  (dice) => ({
    geotile_grid: {
      field: 'device.location',
      ...dice.maybe(0.8, () => ({ precision: dice.pick(0, 4, 8, 15, 29, 30, -1) })),
      ...dice.maybe(0.3, () => ({ size: 2 })),
    },
  }),
];

/** Returns the field of a metric, and sometimes its value for missing ones. */
export const source = (dice: Dice): { field: string } => {
  const field = dice.chance(0.8) ? dice.pick(...numbers) : anyField(dice);
  return {
    field,
    ...dice.maybe(0.15, () => ({ missing: missingOf(field) })),
    ...dice.maybe(0.08, () => ({
      format: field === 'ts' ? 'yyyy-MM-dd' : dice.pick('0.00', '#,##0.0', '', '0', '#.##', '0.0%', '000'),
    })),
  };
};

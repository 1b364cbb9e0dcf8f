import { source } from './bucket.js';
import type { Dice } from './dice.js';
import { numbers, texts } from './value.js';

/** A metric aggregation of any kind. */
export const metric = (dice: Dice): object =>
  dice.one<object>(
    () => ({ [dice.pick('avg', 'sum', 'min', 'max')]: source(dice) }),
    () => ({
      [dice.pick('min', 'max', 'value_count', 'cardinality')]: {
        field: dice.pick('data.x', 'data.big', 'ts', 'data.on', 'data.t'),
      },
    }),
    () => ({ [dice.pick('stats', 'value_count', 'cardinality')]: source(dice) }),
    () => ({
      cardinality: {
        field: dice.pick(...texts, ...numbers, 'device.location', 'ts', 'data.on'),
        ...dice.maybe(0.8, () => ({ precision_threshold: dice.pick<unknown>(-1, 0, 100, 40_000, 1e6, '100', 1.5) })),
      },
    }),
    () => ({ value_count: { field: 'device.location' } }),
    () => ({
      extended_stats: {
        ...source(dice),
        ...dice.maybe(0.3, () => ({ sigma: dice.pick<unknown>(1, 3, 0.5, 0, -1, '2') })),
      },
    }),
    () => ({ percentiles: percentiles(dice) }),
    () => ({
      percentile_ranks: {
        field: dice.pick(...numbers),
        values: dice.pick([100, 500], [0], ['250.5', 900]),
        ...dice.maybe(0.3, () => ({ keyed: false })),
        ...digest(dice),
      },
    }),
    () => ({
      median_absolute_deviation: {
        field: dice.pick(...numbers, 'metadata.level'),
        ...dice.maybe(0.1, () => ({ compression: dice.pick(100, -1, 1000) })),
      },
    }),
    () => ({
      weighted_avg: {
        value: { field: dice.pick(...numbers), ...dice.maybe(0.2, () => ({ missing: 1 })) },
        weight: { field: dice.pick('data.k', 'metadata.level', 'nope'), ...dice.maybe(0.2, () => ({ missing: 2 })) },
        ...dice.maybe(0.1, () => ({ format: '0.000' })),
      },
    }),
    () => ({ top_hits: topHits(dice) }),
    () => ({ [dice.pick('geo_bounds', 'geo_centroid')]: { field: 'device.location' } }),
  );

const percentiles = (dice: Dice): object => ({
  field: dice.pick<string>('metadata.level', ...numbers, 'ts', 'nope', 'data.txt'),
  ...dice.maybe(0.6, () => ({
    percents: dice.pick<unknown>([50], ['95', '99'], [99.9, 0, 100], 75, [], [101], [-1], ['a']),
  })),
  ...dice.maybe(0.2, () => ({ keyed: false })),
  ...digest(dice),
  ...dice.maybe(0.05, () => ({ format: dice.pick('0.0', '') })),
  ...dice.maybe(0.1, () => ({ missing: 500 })),
});

/** Options of percentile estimates. Estimates are compared within bounds, so that only errors show. */
const digest = (dice: Dice): object =>
  dice.maybe(0.15, () =>
    dice.pick<object>(
      { tdigest: { compression: 200 } },
      { tdigest: { compression: '200' } },
      { tdigest: {} },
      { tdigest: { compression: -1 } },
      { tdigest: { compresion: 1 } },
      { tdigest: null },
      { tdigest: 1 },
      { tdigest: { compression: null } },
      { hdr: { number_of_significant_value_digits: 6 } },
      { hdr: { number_of_significant_value_digits: -1 } },
      { hdr: { digits: 1 } },
      { hdr: [] },
      { hdr: {}, tdigest: {} },
    ),
  );

const topHits = (dice: Dice): object => ({
  size: dice.pick<unknown>(1, 3, '2', 100, 101, 0, -1),
  ...dice.maybe(0.8, () => ({
    sort: [
      { [dice.pick('data.n', 'data.txt', 'ts', 'metadata.level')]: dice.pick('asc', 'desc') },
      { 'metadata.number': 'asc' },
    ],
  })),
  ...dice.maybe(0.3, () => ({
    _source: dice.pick<unknown>(['data.t', 'metadata.*'], 'data.n', false, true, { excludes: ['data', 'device'] }),
  })),
  ...dice.maybe(0.2, () => ({ from: 1 })),
});

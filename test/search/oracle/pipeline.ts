import type { Dice } from './dice.js';
import { numbers } from './value.js';

type Named = { [name: string]: object };

const gaps = (dice: Dice): object => dice.maybe(0.3, () => ({ gap_policy: dice.pick('skip', 'insert_zeros') }));
const format = (dice: Dice): object => dice.maybe(0.1, () => ({ format: '0.00' }));

/** Pipelines over the buckets they stand in, and a metric for them to read. */
export const inside = (dice: Dice, own: object, children: Named): Named => {
  // The engine fails where pipelines stand in one bucket.
  if (!dice.chance(0.35) || ['filter', 'missing', 'global'].some((kind) => kind in own)) return {};
  const metric = { [dice.pick('sum', 'avg', 'max', 'stats', 'value_count')]: { field: dice.pick(...numbers) } };
  const name = 'stats' in metric ? 'm.sum' : 'm';
  const path = () => dice.pick(name, name, name, '_count', ...Object.keys(children), 'nope');
  const histogram = 'date_histogram' in own || 'histogram' in own;
  const cut = () => ({
    bucket_sort: {
      ...dice.maybe(0.8, () => ({
        sort: dice.list([{ [dice.pick('_key', '_count', name)]: { order: dice.pick('asc', 'desc') } }]),
      })),
      ...dice.maybe(0.8, () => ({ size: dice.pick(1, 3) })),
      ...dice.maybe(0.3, () => ({ from: 1 })),
      ...gaps(dice),
    },
  });
  const pipeline = (): object =>
    histogram || dice.chance(0.1)
      ? dice.one<object>(
          () => ({
            derivative: {
              buckets_path: path(),
              ...dice.maybe(0.3, () => ({ unit: dice.pick('1d', 'hour', '1h') })),
              ...gaps(dice),
              ...format(dice),
            },
          }),
          () => ({ cumulative_sum: { buckets_path: path(), ...format(dice) } }),
          () => ({
            serial_diff: {
              buckets_path: path(),
              ...dice.maybe(0.8, () => ({ lag: dice.pick(1, 2, 7) })),
              ...gaps(dice),
            },
          }),
          cut,
        )
      : cut();
  return {
    m: metric,
    p: pipeline(),
    ...(dice.chance(0.2) && { q: histogram ? { derivative: { buckets_path: 'p' } } : cut() }),
  };
};

/** A pipeline beside the buckets of one of some aggregations. */
export const beside = (dice: Dice, named: Named): Named => {
  const [name, own] = dice.pick(...Object.entries(named));
  const children = Object.keys((own as { aggs?: object }).aggs ?? {});
  const path = `${name}>${dice.pick('_count', ...children, ...children.map((child) => `${child}.avg`))}`;
  return {
    z: dice.one<object>(
      () => ({
        [dice.pick('avg_bucket', 'sum_bucket', 'min_bucket', 'max_bucket', 'stats_bucket')]: {
          buckets_path: path,
          ...gaps(dice),
          ...format(dice),
        },
      }),
      () => ({
        extended_stats_bucket: { buckets_path: path, ...gaps(dice), ...dice.maybe(0.3, () => ({ sigma: 1 })) },
      }),
      () => ({
        percentiles_bucket: {
          buckets_path: path,
          ...gaps(dice),
          ...dice.maybe(0.5, () => ({ percents: [10, 50, 100] })),
          ...dice.maybe(0.2, () => ({ keyed: false })),
        },
      }),
    ),
  };
};

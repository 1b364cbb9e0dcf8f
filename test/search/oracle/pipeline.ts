import type { Dice } from './dice.js';
import { numbers } from './value.js';

type Named = { [name: string]: object };

const gaps = (dice: Dice): object => dice.maybe(0.3, () => ({ gap_policy: dice.pick('skip', 'insert_zeros') }));
const format = (dice: Dice): object => dice.maybe(0.15, () => ({ format: dice.pick('0.00', '#,##0.0', '') }));

/** Pipeline aggregations inside buckets, and a metric for them to read. */
export const inside = (dice: Dice, own: object, children: Named): Named => {
  // OpenSearch fails when pipeline aggregations are inside a single bucket.
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
      ...dice.maybe(0.5, () => ({ size: dice.chance(0.05) ? dice.pick(0, -1) : dice.pick(1, 3, 10) })),
      ...dice.maybe(0.3, () => ({ from: 1 })),
      ...gaps(dice),
    },
  });
  const sequence = (): object =>
    dice.one<object>(
      () => ({
        derivative: {
          buckets_path: path(),
          ...dice.maybe(0.4, () => ({
            unit: dice.pick('1d', 'hour', '1h', '2h', 'month', '1M', 'quarter', '90m', '1.5d', 'abc', '0d'),
          })),
          ...gaps(dice),
          ...format(dice),
        },
      }),
      () => ({ cumulative_sum: { buckets_path: path(), ...format(dice) } }),
      () => ({
        serial_diff: {
          buckets_path: path(),
          ...dice.maybe(0.8, () => ({
            lag: dice.chance(0.1) ? dice.pick<unknown>(0, -1, '1', 1.5) : dice.pick(1, 2, 7),
          })),
          ...gaps(dice),
          ...format(dice),
        },
      }),
      cut,
    );
  const empty = () =>
    dice.pick<object>(
      { cumulative_sum: {} },
      { derivative: {} },
      { serial_diff: {} },
      { bucket_sort: {} },
      { moving_fn: {} },
    );
  // Pipeline aggregations run in the order in which they are written, whatever their names.
  const [p, q, r] = dice.pick(
    ['p', 'q', 'r'],
    ['r', 'q', 'p'],
    ['ql', 'qd', 'qa'],
    ['b', 'B', 'aa'],
    ['z9', 'z10', 'z1'],
  );
  const pipeline = (): object => {
    if (dice.chance(0.03)) return empty();
    return histogram || dice.chance(0.1) ? sequence() : cut();
  };
  // Sorts of buckets before, between and after pipeline aggregations that depend on the order.
  const more = [q!, r!]
    .slice(0, dice.pick(0, 0, 1, 2))
    .map((own) => [
      own,
      histogram ? dice.one(sequence, sequence, cut, () => ({ derivative: { buckets_path: p } })) : cut(),
    ]);
  const pipelines = [[p!, pipeline()] as const, ...more];
  // A pipeline aggregation may also be written before the one that it reads.
  return { m: metric, ...(Object.fromEntries(dice.chance(0.2) ? pipelines.toReversed() : pipelines) as Named) };
};

/** A pipeline aggregation beside the buckets of another aggregation. */
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
        extended_stats_bucket: {
          buckets_path: path,
          ...gaps(dice),
          ...dice.maybe(0.3, () => ({ sigma: dice.pick(1, 0, -1) })),
        },
      }),
      () => ({
        percentiles_bucket: {
          buckets_path: path,
          ...gaps(dice),
          ...dice.maybe(0.5, () => ({ percents: dice.pick<unknown>([10, 50, 100], [10, 50, 100], [], [101], 50) })),
          ...dice.maybe(0.2, () => ({ keyed: false })),
        },
      }),
    ),
  };
};

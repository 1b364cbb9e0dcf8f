import sql from 'sql-template-tag';
import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import { type Answer, hiddenKey } from '../../../../search/aggregation/answer.js';
import { javaDouble, printOf } from '../../../../search/aggregation/format.js';
import type { HistogramAggregation } from '../../../../search/aggregation/histogram.js';
import { fillGaps, requireInOrder, requireInside } from '../../../../search/aggregation/histogram-gap.js';
import { isNumeric } from '../../../../search/field/field.js';
import { type Awaitable, chain } from '../../../../search/pace.js';
import type { Input } from '../../../../search/syntax/input.js';
import { number } from '../../../../search/syntax/value.js';
import { name } from '../sql/name.js';
import { type Bucket, gap, type Key } from './bucket/bucket.js';
import { comparing, orderOf } from './bucket/order.js';
import type { Planned, Stage } from './bucket/stage.js';
import { fieldOrMissing } from './value/missing-value.js';
import { doubles, unsupported } from './value/number-of.js';

interface NumberBucket extends Bucket {
  /** How many intervals from the offset on. */
  readonly index: number;
}

/** One bucket for each stretch of numbers, empty ones between them included. */
export const histogram = (aggregation: WithChildren<HistogramAggregation>, stage: Stage): Planned => {
  const { at, format, keyed, minDocCount, interval, offset } = aggregation;
  const { planning } = stage;
  const field = fieldOrMissing('double', aggregation, at, stage);
  if (field !== undefined && !isNumeric(field)) throw unsupported(field, 'histogram', at);
  const inner = field && stage.inside([histogramKey(aggregation, stage)]);
  const children = inner?.planAll(aggregation) ?? stage.planBarren(aggregation);
  const order = orderOf(aggregation.order, children);
  const count = inner?.count() ?? (() => 0);
  const print = printOf(field, format);
  const keyOf = (index: number) => index * interval + offset;
  const bound = (input: Input | undefined) => input && number(input);
  const indexOf = (value: number | undefined) =>
    value === undefined ? undefined : Math.floor((value - offset) / interval);
  const { extendedBounds: extended, hardBounds: hard } = aggregation;
  const [low, high] = [bound(extended?.min), bound(extended?.max)];
  const [least, most] = [bound(hard?.min), bound(hard?.max)];
  requireInOrder('extended_bounds', { min: low, max: high }, at);
  requireInOrder('hard_bounds', { min: least, max: most }, at);
  requireInside({ min: low, max: high }, { min: least, max: most }, at);
  const stretch = { min: indexOf(low), max: indexOf(high) };
  // The engines hold against them where a bucket would begin without the offset.
  const inBounds = (index: number) =>
    (least === undefined || index * interval >= least) && (most === undefined || index * interval <= most);

  const made = (around: Bucket): Awaitable<NumberBucket[]> => {
    const found = (inner?.level.bucketsOf(around) ?? [])
      .map((bucket) => ({ bucket, key: Number(inner!.level.keysOf(bucket.row!)[0]) }))
      .filter(({ key, bucket }) => inBounds(key) && count(bucket) >= minDocCount)
      .sort((a, b) => a.key - b.key);
    const one = () => planning.made(1);
    if (minDocCount > 0) return found.map(({ bucket, key }) => (one(), { ...bucket, index: key }));
    return planning.pace.map(
      fillGaps(found, (index) => index + 1, stretch, one),
      ({ key, bucket }) => ({
        ...(bucket ?? gap),
        index: key,
      }),
    );
  };
  const head = (bucket: NumberBucket): Answer => {
    const key = keyOf(bucket.index);
    return {
      ...(print !== undefined && { key_as_string: print(key) }),
      key,
      [hiddenKey]: javaDouble(key),
      doc_count: count(bucket),
    };
  };
  return {
    read: (around) => {
      const read = chain(made(around), (buckets) => {
        if (aggregation.order.length > 0)
          buckets.sort(comparing(order, count, (a, b) => (a as NumberBucket).index - (b as NumberBucket).index));
        return children.readAll(buckets, (bucket) => [head(bucket), bucket]);
      });
      return chain(read, (answers): Answer => {
        if (!keyed) return { buckets: answers };
        return {
          buckets: Object.fromEntries(
            answers.map((answer) => [answer['key_as_string'] ?? javaDouble(answer['key'] as number), answer]),
          ),
        };
      });
    },
  };
};

/** The number of intervals from the offset on, of each distinct value of a record once. */
export const histogramKey = (
  {
    at,
    field: path,
    missing,
    interval,
    offset,
  }: Pick<HistogramAggregation, 'at' | 'field' | 'missing' | 'interval' | 'offset'>,
  stage: Stage,
  depth = stage.level.depth,
): Key => {
  const field = fieldOrMissing('double', { field: path, ...(missing && { missing }) }, at, stage)!;
  const { one, many } = doubles(field, missing, stage.planning.now);
  const index = (value: ReturnType<typeof sql>) => sql`floor((${value} - ${offset}::float8) / ${interval}::float8)`;
  const alias = name('many', depth);
  if (many === undefined)
    return {
      value: index(one),
      type: sql`float8`,
      fields: [field],
      ...(field.always ? {} : { where: sql`${one} is not null` }),
    };
  return {
    value: sql`${alias}.v`,
    type: sql`float8`,
    fields: [field],
    lateral: sql`(select distinct ${index(sql`u.v`)} as v from unnest(${many}) as u(v)) ${alias}`,
  };
};

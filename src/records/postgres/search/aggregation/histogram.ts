import sql, { empty } from 'sql-template-tag';
import { histogramAnswer } from '#records/answer/histogram.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import { printOf } from '#search/aggregation/format.js';
import type { HistogramAggregation } from '#search/aggregation/histogram.js';
import { unsupported } from '#search/aggregation/number-of.js';
import { isNumeric } from '#search/field/field.js';
import { name } from '../sql/name.js';
import type { AggregationContext, Planned } from './bucket/aggregation-context.js';
import { gap, type Key } from './bucket/bucket.js';
import { fieldOrMissing } from './value/missing-value.js';
import { doubles } from './value/number-of.js';

/** Plans a bucket for each interval of numbers, including empty ones between them. */
export const histogram = (aggregation: WithChildren<HistogramAggregation>, context: AggregationContext): Planned => {
  const { at, format } = aggregation;
  const field = fieldOrMissing('double', aggregation, at, context);
  if (field !== undefined && !isNumeric(field)) throw unsupported(field, 'histogram', at);
  const inner = field && context.inside([histogramKey(aggregation, context)]);
  const children = inner?.planAll(aggregation) ?? context.planEmpty(aggregation);
  const read = histogramAnswer(
    aggregation,
    {
      print: printOf(field, format),
      children,
      count: inner?.count() ?? (() => 0),
      found: (around) =>
        (inner?.rows.bucketsOf(around) ?? []).map((bucket) => ({
          bucket,
          key: Number(inner!.rows.keysOf(bucket.row!)[0]),
        })),
      gap,
    },
    context.planning,
  );
  return { read };
};

/**
 * Builds the key of a numeric interval: the number of intervals from the offset, each once for a record unless
 * `repeated`.
 */
export const histogramKey = (
  {
    at,
    field: path,
    missing,
    interval,
    offset,
  }: Pick<HistogramAggregation, 'at' | 'field' | 'missing' | 'interval' | 'offset'>,
  context: AggregationContext,
  depth = context.query.depth,
  repeated = false,
): Key => {
  const field = fieldOrMissing('double', { field: path, ...(missing && { missing }) }, at, context)!;
  const { one, many } = doubles(field, missing, context.planning.now);
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
    lateral: sql`(select ${repeated ? empty : sql`distinct `}${index(sql`u.v`)} as v from unnest(${many}) as u(v)) ${alias}`,
  };
};

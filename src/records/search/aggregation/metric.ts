import type { MetricAggregation, SimpleMetric } from './aggregation.js';
import { type Print, printOf } from './format.js';
import { numbersOf } from './number-of.js';
import type { Answer, Planned, Stage } from './stage.js';
import { valueCount } from './value-count.js';

type Plan = {
  [K in MetricAggregation['kind']]: (metric: Extract<MetricAggregation, { kind: K }>, stage: Stage) => Planned;
};

/** A metric that is one number: `none` where there are no values, `empty` for ordering by it then. */
const oneNumber =
  (kind: 'avg' | 'sum' | 'min' | 'max', none: 0 | null, empty: number | 'last') =>
  (metric: SimpleMetric, stage: Stage): Planned => {
    const numbers = numbersOf(stage, kind, metric, metric.at);
    const print = printOf(stage.field(metric.field, metric.at), metric.format);
    if (numbers === undefined) return { read: () => withText(none, undefined) };
    const { cell, column } = stage.aggregate(numbers[kind]);
    return {
      read: (bucket) => {
        const value = cell(bucket);
        return withText(value === null ? none : Number(value), print);
      },
      sortable: (property) => (property === '' || property === 'value' ? { column, cell, empty } : undefined),
    };
  };

/** A value with its text form, where it has one. */
export const withText = (value: number | null, print: Print): Answer => ({
  value,
  ...(value !== null && print !== undefined && { value_as_string: print(value) }),
});

/** Plans each kind of metric. */
export const planMetric: Plan = {
  avg: oneNumber('avg', null, 'last'),
  sum: oneNumber('sum', 0, 0),
  min: oneNumber('min', null, Infinity),
  max: oneNumber('max', null, -Infinity),
  value_count: valueCount,
};

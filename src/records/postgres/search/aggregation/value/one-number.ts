import { printOf, withText } from '../../../../../search/aggregation/format.js';
import type { SimpleMetric } from '../../../../../search/aggregation/option/simple-metric.js';
import { noNumber, type Planned, type Stage } from '../bucket/stage.js';
import { numbersOf } from './number-of.js';

/**
 * Creates the planner of a metric with a single number. `none` is its value without numbers, `empty` its value for
 * ordering.
 */
export const oneNumber =
  (kind: 'avg' | 'sum' | 'min' | 'max', none: 0 | null, empty: number | 'last') =>
  (metric: SimpleMetric, stage: Stage): Planned => {
    const numbers = numbersOf(stage, kind, metric, metric.at);
    const print = printOf(stage.field(metric.field, metric.at), metric.format);
    if (numbers === undefined) return { read: () => withText(none, undefined), sortable: noNumber };
    const { cell, column } = stage.aggregate(numbers[kind]);
    return {
      read: (bucket) => {
        const value = cell(bucket);
        return withText(value === null ? none : Number(value), print);
      },
      sortable: (property) => (property === '' || property === 'value' ? { column, cell, empty } : undefined),
    };
  };

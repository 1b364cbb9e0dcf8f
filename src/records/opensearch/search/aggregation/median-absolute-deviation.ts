import { printOf, withText } from '../../../../search/aggregation/format.js';
import type { SimpleMetric } from '../../../../search/aggregation/option/simple-metric.js';
import { noNumber, type Planned, type Stage } from './bucket/stage.js';
import { byValue, oneValue } from './value/metric.js';
import { numbersOf } from './value/source.js';

/** Plans the median distance of values from their median, which the engine estimates. */
export const medianAbsoluteDeviation = (metric: SimpleMetric, stage: Stage): Planned => {
  const source = numbersOf('median_absolute_deviation', metric, metric.at, stage);
  const print = printOf(undefined, metric.format);
  if (source === undefined) return { asked: {}, read: () => ({ value: null }), sortable: noNumber };
  const question = stage.ask('median_absolute_deviation', source.body, { field: source.field });
  const value = oneValue(question);
  return {
    asked: question.asked,
    read: (bucket) => withText(value(bucket), print),
    sortable: byValue(question, 'last'),
  };
};

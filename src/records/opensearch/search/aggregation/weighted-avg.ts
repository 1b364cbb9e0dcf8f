import { printOf, withText } from '../../../../search/aggregation/format.js';
import type { WeightedAvgMetric } from '../../../../search/aggregation/weighted-avg.js';
import { illegalArgument } from '../../../../search/failure.js';
import { noNumber, type Planned, type Stage } from './bucket/stage.js';
import { byValue, oneValue } from './value/metric.js';
import { numbersOf } from './value/source.js';

/** Plans the mean of one field's values, weighted by another field's. Records that lack either are ignored. */
export const weightedAvg = ({ value, weight, format, at }: WeightedAvgMetric, stage: Stage): Planned => {
  const [of, by] = [numbersOf('weighted_avg', value, at, stage), numbersOf('weighted_avg', weight, at, stage)];
  if (of === undefined || by === undefined) return { asked: {}, read: () => ({ value: null }), sortable: noNumber };
  if (by.field.multi)
    throw illegalArgument(
      'Encountered more than one weight for a single document. Use a field with one value for each.',
      at,
    );
  const bodyOf = ({ value_type: _, ...body }: typeof of.body) => body;
  const question = stage.ask(
    'weighted_avg',
    { value: bodyOf(of.body), weight: bodyOf(by.body), value_type: 'double' },
    { field: of.field },
  );
  const mean = oneValue(question);
  const print = printOf(undefined, format);
  return {
    asked: question.asked,
    read: (bucket) => withText(mean(bucket), print),
    sortable: byValue(question, 'last'),
  };
};

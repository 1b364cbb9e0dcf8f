import { printOf, withText } from '../../../../../search/aggregation/format.js';
import type { SimpleMetric } from '../../../../../search/aggregation/option/simple-metric.js';
import type { Bucket } from '../bucket/bucket.js';
import { noNumber, type Planned, type Question, type SortPath, type Stage } from '../bucket/stage.js';
import { numbersOf } from './source.js';

/** Reads a number of the engine; null for the various forms of a missing one. */
export const numberIn = (value: unknown): number | null => {
  if (value === null || value === undefined) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
};

/** Whether a mean or a sum exceeds the range of doubles, in the form that the engine writes. */
const isBeyond = (value: unknown): value is string => value === 'Infinity' || value === '-Infinity';

/** Reads the single number of an answer. */
export const oneValue =
  ({ answerIn }: Question) =>
  (bucket: Bucket): number | null =>
    numberIn(answerIn(bucket)?.['value']);

/** Orders buckets by the single number of an answer. */
export const byValue =
  (question: Question, empty: number | 'last') =>
  (property: string): SortPath | undefined =>
    property === '' || property === 'value' ? { path: question.path(''), cell: oneValue(question), empty } : undefined;

/** Plans a metric with a single number. `none`: its value without values; `empty`: the sort value in that case. */
export const oneNumber =
  (kind: 'avg' | 'sum' | 'min' | 'max', none: 0 | null, empty: number | 'last') =>
  (metric: SimpleMetric, stage: Stage): Planned => {
    const source = numbersOf(kind, metric, metric.at, stage);
    const print = printOf(stage.field(metric.field, metric.at), metric.format);
    if (source === undefined) return { asked: {}, read: () => withText(none, undefined), sortable: noNumber };
    const question = stage.ask(kind, source.body, { field: source.field });
    const value = oneValue(question);
    return {
      asked: question.asked,
      read: (bucket) => {
        const given = question.answerIn(bucket)?.['value'];
        return isBeyond(given) ? { value: given } : withText(value(bucket) ?? none, print);
      },
      sortable: byValue(question, empty),
    };
  };

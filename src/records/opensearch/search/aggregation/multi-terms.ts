import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { Answer } from '../../../../search/aggregation/answer.js';
import { javaDouble, printOf } from '../../../../search/aggregation/format.js';
import type { MultiTermsAggregation } from '../../../../search/aggregation/multi-terms.js';
import { unsupported } from '../../../../search/aggregation/number-of.js';
import { illegalArgument } from '../../../../search/failure.js';
import { chain } from '../../../../search/pace.js';
import { orderOf } from '../../../answer/bucket-order.js';
import { termsAnswer, writtenKey } from '../../../answer/key.js';
import type { EngineBucket } from '../../engine.js';
import { type Bucket, inside } from './bucket/bucket.js';
import { notOfDevices, type Planned, type Stage } from './bucket/stage.js';
import { maxTerms, orderOfEngine } from './bucket/term-key.js';
import { sourceOf } from './value/source.js';

/** One bucket for each combination of values of several fields. */
export const multiTerms = (aggregation: WithChildren<MultiTermsAggregation>, stage: Stage): Planned => {
  const { at, size, minDocCount, showErrors } = aggregation;
  if (minDocCount === 0) throw illegalArgument('[min_doc_count] of [multi_terms] must be greater than 0', at);
  const sources = aggregation.terms.map((term) => sourceOf('keyword', term, at, stage));
  const known = sources.filter((source) => source !== undefined);
  if (known.length < sources.length) {
    orderOf(aggregation.order, stage.planBarren(aggregation));
    return { asked: {}, read: () => termsAnswer(0, []) };
  }
  const wrong = known.find(({ field: { kind } }) => kind === 'geo_point');
  if (wrong !== undefined) throw unsupported(wrong.field, 'multi_terms', at);
  const ofDevice = known.find(({ field }) => field.ofDevice);
  if (ofDevice !== undefined) throw notOfDevices(ofDevice.field, 'multi_terms', at);
  const wantedOrder = aggregation.order.length > 0 ? aggregation.order : [{ path: '_count', descending: true, at }];
  const children = stage.planAll(aggregation);
  const order = orderOf(wantedOrder, children);
  const prints = known.map(({ field }, index) => printOf(field, aggregation.terms[index]!.format));
  const question = stage.ask(
    'multi_terms',
    {
      terms: known.map(({ field, body }) => ({
        ...body,
        value_type: body['value_type'] ?? typeNames[field.kind],
        ...(field.kind === 'date' && { format: 'epoch_millis' }),
      })),
      size: Math.min(size, maxTerms),
      shard_size: maxTerms,
      min_doc_count: minDocCount,
      order: orderOfEngine(order),
    },
    { children },
  );
  const head = (found: EngineBucket): Answer => {
    const raw = (found.key as readonly unknown[]).map((one) => (typeof one === 'bigint' ? `${one}` : one));
    const parts = raw.map((one, index) => {
      const { field } = known[index]!;
      return writtenKey(field, field.kind === 'date' ? Number(one) : one, prints[index]);
    });
    const shown = parts.map(
      ({ key, key_as_string: text }, index) =>
        text ?? (known[index]!.field.kind === 'double' ? javaDouble(Number(key)) : String(key)),
    );
    const key = parts.map((part, index) =>
      known[index]!.field.kind === 'boolean' ? part.key === 1 : (part.key_as_string ?? part.key),
    );
    return {
      key,
      key_as_string: shown.join('|'),
      doc_count: found.doc_count ?? 0,
      ...(showErrors && { doc_count_error_upper_bound: 0 }),
    };
  };
  const bucketsIn = (around: Bucket) => (question.answerIn(around)?.['buckets'] ?? []) as readonly EngineBucket[];
  return {
    asked: question.asked,
    visit: (around) => {
      for (const bucket of bucketsIn(around)) children.visit(inside(bucket, around));
    },
    read: (around) => {
      const buckets = bucketsIn(around);
      stage.planning.made(buckets.length);
      const others = Number(question.answerIn(around)?.['sum_other_doc_count'] ?? 0);
      return chain(
        children.readAll(buckets, (bucket) => [head(bucket), inside(bucket, around)]),
        (answers) => termsAnswer(others, answers),
      );
    },
  };
};

const typeNames = {
  keyword: 'string',
  double: 'double',
  long: 'double',
  boolean: 'double',
  date: 'date',
  geo_point: 'string',
};

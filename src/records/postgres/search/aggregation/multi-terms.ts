import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { Answer } from '../../../../search/aggregation/answer.js';
import { javaDouble, printOf } from '../../../../search/aggregation/format.js';
import type { MultiTermsAggregation } from '../../../../search/aggregation/multi-terms.js';
import { unsupported } from '../../../../search/aggregation/number-of.js';
import { illegalArgument } from '../../../../search/failure.js';
import { chain } from '../../../../search/pace.js';
import { orderOf } from '../../../answer/bucket-order.js';
import { writtenKey } from '../../../answer/key.js';
import type { Bucket } from './bucket/bucket.js';
import { comparableKeys, valueKey } from './bucket/bucket-key.js';
import { orderInSql } from './bucket/order.js';
import type { Planned, Stage } from './bucket/stage.js';
import { fieldOrMissing } from './value/missing-value.js';

/** One bucket for each combination of values of several fields. */
export const multiTerms = (aggregation: WithChildren<MultiTermsAggregation>, stage: Stage): Planned => {
  const { at, size, minDocCount, showErrors } = aggregation;
  if (minDocCount === 0) throw illegalArgument('[min_doc_count] of [multi_terms] must be greater than 0', at);
  const depth = stage.level.depth;
  const fields = aggregation.terms.map((term) => fieldOrMissing('keyword', term, at, stage));
  const bound = fields.filter((field) => field !== undefined);
  if (bound.length < fields.length) {
    orderOf(aggregation.order, stage.planBarren(aggregation));
    return { read: () => ({ doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets: [] }) };
  }
  const wrong = bound.find(({ kind }) => kind === 'geo_point');
  if (wrong !== undefined) throw unsupported(wrong, 'multi_terms', at);
  const keys = bound.map((field, index) =>
    valueKey(field, aggregation.terms[index]!.missing, depth + index, stage.planning),
  );
  const wantedOrder = aggregation.order.length > 0 ? aggregation.order : [{ path: '_count', descending: true, at }];
  const inner = stage.inside(keys, {
    cut: { size, minDocCount, order: () => orderInSql(order, comparableKeys(bound, depth)) },
  });
  const children = inner.planAll(aggregation);
  const order = orderOf(wantedOrder, children);
  const count = inner.count();
  const prints = bound.map((field, index) => printOf(field, aggregation.terms[index]!.format));
  const head = (bucket: Bucket): Answer => {
    const parts = inner.level.keysOf(bucket.row!).map((raw, index) => writtenKey(bound[index], raw, prints[index]));
    const shown = parts.map(
      ({ key, key_as_string: text }, index) =>
        text ?? (bound[index]!.kind === 'double' ? javaDouble(Number(key)) : String(key)),
    );
    const key = parts.map((part, index) =>
      bound[index]!.kind === 'boolean' ? part.key === 1 : (part.key_as_string ?? part.key),
    );
    return {
      key,
      key_as_string: shown.join('|'),
      doc_count: count(bucket),
      ...(showErrors && { doc_count_error_upper_bound: 0 }),
    };
  };
  return {
    read: (around) => {
      const buckets = inner.level.bucketsOf(around);
      stage.planning.made(buckets.length);
      const shown = buckets.reduce((sum, bucket) => sum + count(bucket), 0);
      const all = buckets[0] === undefined ? 0 : inner.level.total(buckets[0]);
      return chain(
        children.readAll(buckets, (bucket) => [head(bucket), bucket]),
        (answers) => ({ doc_count_error_upper_bound: 0, sum_other_doc_count: all - shown, buckets: answers }),
      );
    },
  };
};

import { hitOf } from '#records/answer/hit.js';
import { plainKey } from '#records/answer/key.js';
import type { EngineHit, EngineHits } from '#records/opensearch/engine.js';
import { printOf } from '#search/aggregation/format.js';
import type { TopHitsMetric, TopMetricsMetric } from '#search/aggregation/top-hits.js';
import type { Field } from '#search/field/field.js';
import { bindSort } from '#search/hits/bound-sort.js';
import { chain } from '#search/pace.js';
import { illegalArgument } from '#search/search-failure.js';
import { orderOfKeys, sortValueOf } from '../engine-sort.js';
import { hitParts, recordOfHit } from '../hit.js';
import { type EngineAggregationContext, notOfDevices, type Planned } from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';

/** Plans the first records of each bucket. */
export const topHits = ({ from, size, sort, source }: TopHitsMetric, context: EngineAggregationContext): Planned => {
  const { planning } = context;
  const keys = bindSort(sort, planning);
  const order = orderOfKeys(keys, planning.compiler.fields);
  // The engine does not accept a size of 0.
  const question = context.ask('top_hits', { from, size: Math.max(1, size), sort: order, ...hitParts });
  const count = context.count();
  const terms = { older: planning.compiler.fields.older, names: planning.names };
  const make = hitOf({
    sort: keys,
    source,
    fields: [],
    times: planning.times,
    organizationId: planning.organizationId,
  });
  const hitsIn = (bucket: Bucket) =>
    ((question.answerIn(bucket)?.['hits'] as EngineHits | undefined)?.hits ?? []).slice(0, size);
  return {
    asked: question.asked,
    visit: (bucket) => planning.needDevices(hitsIn(bucket)),
    read: (bucket) =>
      chain(
        planning.pace.map(hitsIn(bucket), (hit) => make(recordOfHit(hit, keys, terms), planning.devices())),
        (hits) => ({ hits: { total: { value: count(bucket), relation: 'eq' }, max_score: null, hits } }),
      ),
  };
};

/** Values of the records that come first in an order. */
export const topMetrics = (
  { at, fields: paths, size, sort }: TopMetricsMetric,
  context: EngineAggregationContext,
): Planned => {
  const { nameOf, fields: engineFields } = context.planning.compiler;
  const fields = paths.map((path) => ({ path, field: context.field(path, at) }));
  const several = fields.find(({ field }) => field?.multi);
  if (several !== undefined)
    throw illegalArgument(`[top_metrics] needs one value a record, but [${several.path}] has several`, at);
  const ofDevice = fields.find(({ field }) => field?.ofDevice)?.field;
  if (ofDevice !== undefined) throw notOfDevices(ofDevice, 'top_metrics', at);
  const keys = bindSort(sort, context.planning);
  const key = keys[0]!;
  const names = fields.flatMap(({ field }) =>
    field === undefined || field.path === '_id' ? [] : [docValueOf(field, nameOf)],
  );
  const question = context.ask('top_hits', {
    size,
    sort: orderOfKeys(keys, engineFields),
    _source: false,
    ...(names.length > 0 && { docvalue_fields: [...new Set([...names, 'shape'])] }),
  });
  const print = printOf(key.field, undefined);
  const valueOf = (field: Field | undefined, hit: EngineHit): unknown => {
    if (field === undefined) return plainKey(field, null);
    if (field.path === '_id') return hit._id;
    const value = hit.fields?.[docValueOf(field, nameOf)]?.[0] ?? null;
    const isOlder = engineFields.older.shapesOf(field).includes(Number(hit.fields?.['shape']?.[0]));
    if (value === null || isOlder) return null;
    if (field.kind === 'date') return Math.floor(Number(value) / 1000);
    return plainKey(field, typeof value === 'bigint' ? `${value}` : value);
  };
  return {
    asked: question.asked,
    read: (bucket) => {
      const found = (question.answerIn(bucket)?.['hits'] as EngineHits | undefined)?.hits ?? [];
      const top = found.map((hit) => {
        const value = sortValueOf(key, hit.sort?.[0]);
        const shown =
          key.type === 'timestamp' && print !== undefined
            ? print(Math.floor(Number(value) * 1000))
            : plainKey(key, value);
        return {
          sort: [shown],
          metrics: Object.fromEntries(fields.map(({ path, field }) => [path, valueOf(field, hit)])),
        };
      });
      return { top };
    },
  };
};

const docValueOf = (field: Field, nameOf: (field: Field) => string): string =>
  field.kind === 'date' ? 'us' : nameOf(field);

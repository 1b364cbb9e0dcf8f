import { printOf } from '../../../../search/aggregation/format.js';
import type { TopMetricsMetric } from '../../../../search/aggregation/top-metrics.js';
import { illegalArgument } from '../../../../search/failure.js';
import type { Field } from '../../../../search/field/field.js';
import { bindSort } from '../../../../search/hits/bound-sort.js';
import { plainKey } from '../../../answer/key.js';
import type { EngineHit, EngineHits } from '../../engine.js';
import { orderOfKeys, sortValueOf } from '../order.js';
import { notOfDevices, type Planned, type Stage } from './bucket/stage.js';

/** Plans values of the first records in a given order. */
export const topMetrics = ({ at, fields: paths, size, sort }: TopMetricsMetric, stage: Stage): Planned => {
  const { nameOf, fields: engineFields } = stage.planning.compiler;
  const fields = paths.map((path) => ({ path, field: stage.field(path, at) }));
  const several = fields.find(({ field }) => field?.multi);
  if (several !== undefined)
    throw illegalArgument(`[top_metrics] needs one value a record, but [${several.path}] has several`, at);
  const ofDevice = fields.find(({ field }) => field?.ofDevice)?.field;
  if (ofDevice !== undefined) throw notOfDevices(ofDevice, 'top_metrics', at);
  const keys = bindSort(sort, stage.planning);
  const key = keys[0]!;
  const names = fields.flatMap(({ field }) =>
    field === undefined || field.path === '_id' ? [] : [docValueOf(field, nameOf)],
  );
  const question = stage.ask('top_hits', {
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

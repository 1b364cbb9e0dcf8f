import sql, { join } from 'sql-template-tag';
import { plainKey } from '#records/answer/key.js';
import { printOf } from '#search/aggregation/format.js';
import type { TopHitsMetric, TopMetricsMetric } from '#search/aggregation/top-hits.js';
import { bindSort } from '#search/hits/bound-sort.js';
import { chain } from '#search/pace.js';
import { illegalArgument } from '#search/search-failure.js';
import { shapeHits } from '../hits/hits.js';
import { hitColumns } from '../hits/page.js';
import { orderBy, orderKey } from '../sql/order-by.js';
import type { AggregationContext, Planned } from './bucket/aggregation-context.js';
import { asDouble } from './value/number-of.js';

/** Plans the first few records of each bucket. */
export const topHits = ({ from, size, sort, source }: TopHitsMetric, context: AggregationContext): Planned => {
  const { planning } = context;
  const keys = bindSort(sort, planning);
  const order = keys.length === 0 ? sql`r.ts desc, r.seq desc` : orderBy(keys.map(orderKey));
  const rows = context.records(
    hitColumns(keys),
    keys.map(({ field }) => field),
    { from, size, order },
  );
  const count = context.count();
  const shape = shapeHits({
    sort: keys,
    source,
    fields: [],
    times: planning.times,
    organizationId: planning.scope.organizationId,
  });
  planning.needDevices(() => rows.allRecords());
  return {
    read: (bucket) =>
      chain(
        planning.pace.map(rows.recordsOf(bucket), (record) => shape(record, planning.devices())),
        (hits) => ({ hits: { total: { value: count(bucket), relation: 'eq' }, max_score: null, hits } }),
      ),
  };
};

/** Plans values of the records that come first in an order. */
export const topMetrics = (
  { at, fields: paths, size, sort }: TopMetricsMetric,
  context: AggregationContext,
): Planned => {
  const { planning, query } = context;
  const fields = paths.map((path) => ({ path, field: context.field(path, at) }));
  const several = fields.find(({ field }) => field?.values !== undefined);
  if (several !== undefined)
    throw illegalArgument(`[top_metrics] needs one value a record, but [${several.path}] has several`, at);
  const [key] = bindSort(sort, planning).map(orderKey);
  const ordered = query.perRecord(key!.value, [key!.field], true);
  const tie = query.perRecord(sql`r.seq`, [planning.fields.find('_doc')!]);
  const order = orderBy([{ ...key!, value: ordered }], tie);
  const sorted = key!.type === 'timestamp' ? sql`floor(extract(epoch from ${ordered}) * 1000)` : ordered;
  const values = fields.map(({ field }) =>
    field === undefined
      ? sql`null`
      : query.perRecord(field.kind === 'keyword' ? field.value : asDouble(field), [field], field.costly),
  );
  const { cell } = context.aggregate(
    (where) =>
      sql`(array_agg(jsonb_build_array(${join([sorted, ...values])}) order by ${order})${where})[1:${size}::int]`,
  );
  const print = printOf(key!.field, undefined);
  return {
    read: (bucket) => {
      const rows = (cell(bucket) as unknown[][] | null) ?? [];
      const top = rows.map(([value, ...metrics]) => ({
        sort: [key!.type === 'timestamp' && print !== undefined ? print(Number(value)) : plainKey(key, value)],
        metrics: Object.fromEntries(fields.map(({ path, field }, index) => [path, plainKey(field, metrics[index])])),
      }));
      return { top };
    },
  };
};

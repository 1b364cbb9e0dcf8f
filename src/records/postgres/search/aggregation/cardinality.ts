import sql, { type Sql } from 'sql-template-tag';
import type { SimpleMetric } from '#search/aggregation/metrics.js';
import { chain } from '#search/pace.js';
import { laidTogether, rollupColumn } from '../rollup/rollup-source.js';
import { countSketched } from '../rollup/sketch.js';
import { type StoredField, valueSlots } from '../sql/stored-field.js';
import { type AggregationContext, noNumber, type Planned } from './bucket/aggregation-context.js';
import { valueKey } from './bucket/bucket-key.js';
import { fieldOrMissing, pointOrMissing } from './value/missing-value.js';

/** Plans the number of different values. It is exact where the engines estimate, except when it comes from sketches. */
export const cardinality = ({ at, field: path, missing }: SimpleMetric, context: AggregationContext): Planned => {
  const field = fieldOrMissing('keyword', { field: path, ...(missing && { missing }) }, at, context);
  if (field === undefined) return { read: () => ({ value: 0 }), sortable: noNumber };
  if (field.kind === 'geo_point')
    return places(pointOrMissing('cardinality', { field: path, ...(missing && { missing }) }, at, context)!, context);
  if (context.planning.scope.rollup?.sketches && valueSlots(field)) return sketched(field, context);
  const aggregate = field.values === undefined ? ofOne(field, missing, context) : ofMany(field, missing, context);
  return counted(context.aggregate(aggregate));
};

const counted = ({ cell, column }: ReturnType<AggregationContext['aggregate']>): Planned => ({
  read: (bucket) => ({ value: Number(cell(bucket) ?? 0) }),
  sortable: (property) => (property === '' || property === 'value' ? { column, cell, empty: 0 } : undefined),
});

/** Buckets are never ordered by these numbers (see `needOf`). */
const sketched = (field: StoredField, context: AggregationContext): Planned => {
  const column = context.query.perRecord(rollupColumn(field, sql`r.sketch`), [field]);
  const { cell } = context.aggregate(laidTogether(column));
  const valueOf = (bytes: unknown) => (bytes instanceof Buffer ? countSketched(bytes, context.planning.pace) : 0);
  return { read: (bucket) => chain(valueOf(cell(bucket)), (value) => ({ value })) };
};

const places = (field: StoredField, context: AggregationContext): Planned => {
  const place = context.query.perRecord(
    sql`(case when ${field.value} is not null then point(${field.longitude!}, ${field.value})::text end)`,
    [field],
  );
  return counted(context.aggregate((where) => sql`count(distinct ${place})${where}`));
};

const ofOne = (field: StoredField, missing: SimpleMetric['missing'], context: AggregationContext) => {
  const { value } = valueKey(field, missing, 0, context.planning);
  const one = context.query.perRecord(
    field.uuid !== undefined && missing === undefined ? field.uuid : value,
    [field],
    field.costly,
  );
  return (where: Sql) => sql`count(distinct ${one})${where}`;
};

const ofMany = (field: StoredField, missing: SimpleMetric['missing'], context: AggregationContext) => {
  const { lateral } = valueKey(field, missing, 0, context.planning);
  const lists = context.query.perRecord(sql`(select jsonb_agg(m0.v) from ${lateral!})`, [field], true);
  return (where: Sql) =>
    sql`(select count(distinct e) from jsonb_array_elements(jsonb_agg(${lists})${where}) as a(x), jsonb_array_elements(case jsonb_typeof(a.x) when 'array' then a.x else '[]' end) as b(e))`;
};

import sql, { type Sql } from 'sql-template-tag';
import { requireFormattable } from '../../../../search/aggregation/format.js';
import type { SimpleMetric } from '../../../../search/aggregation/option/simple-metric.js';
import { recordCount, rollupColumn } from '../rollup/source.js';
import { noNumber, type Planned, type Stage } from './bucket/stage.js';

/** Plans the number of values, of any type. */
export const valueCount = ({ field: path, missing, format, at }: SimpleMetric, stage: Stage): Planned => {
  const field = stage.field(path, at);
  requireFormattable(field, format);
  if (field === undefined && missing === undefined) return { read: () => ({ value: 0 }), sortable: noNumber };
  if (field !== undefined && stage.planning.scope.rollup) {
    const isKey = stage.planning.scope.rollup.keys !== undefined && field.kind === 'keyword';
    const column = isKey
      ? sql`(case when ${field.value} is not null then ${recordCount} end)`
      : rollupColumn(field, sql`r.n`);
    return counting(stage, stage.level.perRecord(column, [field]));
  }
  const none = missing === undefined ? sql`0` : sql`1`;
  const perRecord =
    field === undefined
      ? none
      : field.values === undefined
        ? sql`(case when ${field.value} is null then ${none} else 1 end)`
        : sql`(case coalesce(cardinality(${field.values}), 0) when 0 then ${none} else ${field.kind === 'keyword' ? different(field.values) : sql`cardinality(${field.values})`} end)`;
  const count = stage.level.perRecord(perRecord, field === undefined ? [] : [field], field?.costly);
  return counting(stage, count);
};

/** Plans the sum of a count per record. */
const counting = (stage: Stage, count: Sql): Planned => {
  const { cell, column } = stage.aggregate((where) => sql`sum(${count})${where}`);
  return {
    read: (bucket) => ({ value: Number(cell(bucket) ?? 0) }),
    sortable: (property) => (property === '' || property === 'value' ? { column, cell, empty: 0 } : undefined),
  };
};

/** A text that a record has twice counts once, as in the engines. */
const different = (values: Sql): Sql => sql`(select count(distinct u.v)::int from unnest(${values}) as u(v))`;

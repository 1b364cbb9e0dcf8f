import sql from 'sql-template-tag';
import { printOf, withText } from '../../../../search/aggregation/format.js';
import { unsupported } from '../../../../search/aggregation/number-of.js';
import type { WeightedAvgMetric } from '../../../../search/aggregation/weighted-avg.js';
import { illegalArgument } from '../../../../search/failure.js';
import { isNumeric } from '../../../../search/field/field.js';
import { noNumber, type Planned, type Stage } from './bucket/stage.js';
import { fieldOrMissing } from './value/missing-value.js';
import { doubles } from './value/number-of.js';

/** Plans the mean of one field's values, weighted by another's. Records that lack either are skipped. */
export const weightedAvg = ({ value, weight, format, at }: WeightedAvgMetric, stage: Stage): Planned => {
  const [values, weights] = [fieldOrMissing('double', value, at, stage), fieldOrMissing('double', weight, at, stage)];
  if (values === undefined || weights === undefined) return { read: () => ({ value: null }), sortable: noNumber };
  for (const field of [values, weights]) if (!isNumeric(field)) throw unsupported(field, 'weighted_avg', at);
  const [of, by] = [
    doubles(values, value.missing, stage.planning.now),
    doubles(weights, weight.missing, stage.planning.now),
  ];
  if (by.many !== undefined)
    throw illegalArgument(
      'Encountered more than one weight for a single document. Use a field with one value for each.',
      at,
    );
  const sum = of.many === undefined ? of.one : sql`(select sum(u.v) from unnest(${of.many}) as u(v))`;
  const count = of.many === undefined ? sql`1` : sql`cardinality(${of.many})`;
  const fields = [values, weights];
  const total = stage.level.perRecord(sql`(${sum} * ${by.one})`, fields, true);
  const weighed = stage.level.perRecord(
    sql`(case when ${sum} is not null then ${count} * ${by.one} end)`,
    fields,
    true,
  );
  const { cell, column } = stage.aggregate(
    (where) => sql`(sum(${total})${where} / nullif(sum(${weighed})${where}, 0))`,
  );
  const print = printOf(undefined, format);
  return {
    read: (bucket) => {
      const mean = cell(bucket);
      return withText(mean === null ? null : Number(mean), print);
    },
    sortable: (property) => (property === '' || property === 'value' ? { column, cell, empty: 'last' } : undefined),
  };
};

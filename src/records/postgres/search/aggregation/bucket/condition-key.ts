import sql, { join } from 'sql-template-tag';
import { fieldsOf, type Predicate } from '../../../../../search/query/predicate.js';
import { condition } from '../../sql/condition.js';
import { name } from '../../sql/name.js';
import type { Key } from './bucket.js';

/**
 * Builds the key of buckets by condition: a record counts in each bucket whose condition it meets. The key in answers
 * is the condition's index.
 */
export const conditionKey = (conditions: readonly Predicate[], index: number): Key => {
  const alias = name('many', index);
  const rows = conditions.map((one, at) => sql`(${at}::int, ${condition(one)})`);
  return {
    value: sql`${alias}.v`,
    type: sql`int4`,
    fields: conditions.flatMap(fieldsOf),
    lateral: sql`(select b.v from (values ${join(rows)}) as b(v, hit) where b.hit) ${alias}`,
  };
};

import type { StoredField } from '#records/postgres/search/sql/stored-field.js';
import type { TermsAggregation } from '#search/aggregation/terms.js';
import { scalarText } from '#search/syntax/value.js';
import type { AggregationContext } from './aggregation-context.js';
import type { Key } from './bucket.js';
import { valueKey } from './bucket-key.js';
import { BucketQuery } from './bucket-query.js';
import { BucketRows } from './bucket-rows.js';

/**
 * Adds a query for all combinations of keys in the scope, whether the search query matches their records or not. The
 * returned function reads them, like that of {@link allTerms}.
 */
export const allKeys = (
  keys: readonly Key[],
  { planning }: AggregationContext,
): (() => readonly (readonly unknown[])[]) => {
  const rows = new BucketRows(new BucketQuery({ scope: planning.scope, where: [], keys }));
  planning.queries.push(rows);
  return () => rows.bucketsOf({ id: '[]' }).map(({ row }) => rows.keysOf(row!));
};

/**
 * Adds a query for all keys in the scope, whether the search query matches their records or not. The returned function
 * reads them, once all rows are read.
 */
export const allTerms = (
  field: StoredField,
  { missing, include, exclude }: TermsAggregation,
  context: AggregationContext,
): (() => readonly unknown[]) => {
  const filters = { ...(include && { include }), ...(exclude && { exclude }) };
  const all = allKeys([valueKey(field, missing, 0, context.planning, filters)], context);
  return () => {
    const keys = all().map(([key]) => key);
    // The default for missing texts is a key even if every record has a value.
    const instead = field.kind === 'keyword' && missing && !include && !exclude ? scalarText(missing) : undefined;
    return instead === undefined || keys.includes(instead) ? keys : [...keys, instead];
  };
};

import type { TermsAggregation } from '../../../../../search/aggregation/terms.js';
import { scalarText } from '../../../../../search/syntax/value.js';
import type { StoredField } from '../../sql/stored-field.js';
import { valueKey } from './bucket-key.js';
import { Level } from './level.js';
import type { Stage } from './stage.js';

/** All keys that any record of the scope has, whether the query matches it or not; known once the levels have their rows. */
export const allTerms = (
  field: StoredField,
  { missing, include, exclude }: TermsAggregation,
  { planning }: Stage,
): (() => readonly unknown[]) => {
  const filters = { ...(include && { include }), ...(exclude && { exclude }) };
  const level = new Level({ scope: planning.scope, where: [], keys: [valueKey(field, missing, 0, planning, filters)] });
  planning.levels.push(level);
  return () => {
    const keys = level.bucketsOf({ id: '[]' }).map(({ row }) => level.keysOf(row!)[0]);
    // A text that stands in for none is a key even where every record has a value.
    const instead = field.kind === 'keyword' && missing && !include && !exclude ? scalarText(missing) : undefined;
    return instead === undefined || keys.includes(instead) ? keys : [...keys, instead];
  };
};

import type { TermsAggregation } from '../../../../../search/aggregation/terms.js';
import { scalarText } from '../../../../../search/syntax/value.js';
import type { StoredField } from '../../sql/stored-field.js';
import type { Key } from './bucket.js';
import { valueKey } from './bucket-key.js';
import { Level } from './level.js';
import type { Stage } from './stage.js';

/** All combinations of keys that any record of the scope has, whether the query matches it or not; known as {@link allTerms}. */
export const allKeys = (keys: readonly Key[], { planning }: Stage): (() => readonly (readonly unknown[])[]) => {
  const level = new Level({ scope: planning.scope, where: [], keys });
  planning.levels.push(level);
  return () => level.bucketsOf({ id: '[]' }).map(({ row }) => level.keysOf(row!));
};

/** All keys that any record of the scope has, whether the query matches it or not; known once the levels have their rows. */
export const allTerms = (
  field: StoredField,
  { missing, include, exclude }: TermsAggregation,
  stage: Stage,
): (() => readonly unknown[]) => {
  const filters = { ...(include && { include }), ...(exclude && { exclude }) };
  const all = allKeys([valueKey(field, missing, 0, stage.planning, filters)], stage);
  return () => {
    const keys = all().map(([key]) => key);
    // A text that stands in for none is a key even where every record has a value.
    const instead = field.kind === 'keyword' && missing && !include && !exclude ? scalarText(missing) : undefined;
    return instead === undefined || keys.includes(instead) ? keys : [...keys, instead];
  };
};

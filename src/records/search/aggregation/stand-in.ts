import sql, { type Sql } from 'sql-template-tag';
import type { Field } from '../field/field.js';
import { timestamp } from '../query/bind-term.js';
import { dateReading } from '../query/binding.js';
import { dateOf, decimal } from '../query/value-of.js';
import type { Input } from '../syntax/input.js';
import { scalarText } from '../syntax/value.js';
import type { FieldOptions } from './aggregation.js';
import type { Stage } from './stage.js';

/** What an aggregation takes a field for that nothing has. */
type Kind = 'keyword' | 'double' | 'date';

/**
 * The field of an aggregation. Where nothing has it and `missing` stands in, every record has that value.
 * @returns undefined where nothing has the field and nothing stands in for it.
 */
export const fieldOr = (
  kind: Kind,
  { field: path, missing }: FieldOptions,
  at: Input,
  stage: Stage,
): Field | undefined =>
  stage.field(path, at) ??
  (missing && { path, kind, ...constant(kind, missing, stage), always: true, ofDevice: false });

const constant = (kind: Kind, missing: Input, { planning }: Stage): Pick<Field, 'storage' | 'value'> => {
  const text = scalarText(missing) ?? '';
  const read: Record<Kind, () => Pick<Field, 'storage'> & { value: Sql }> = {
    keyword: () => ({ storage: 'text', value: sql`${text}::text` }),
    double: () => ({ storage: 'float8', value: sql`${decimal(text, missing)}::float8` }),
    date: () => ({
      storage: 'timestamptz',
      value: sql`${timestamp(dateOf(missing, false, dateReading(planning.now)))}::timestamptz`,
    }),
  };
  return read[kind]();
};

import sql, { type Sql } from 'sql-template-tag';
import type { StoredField } from '#records/postgres/search/sql/stored-field.js';
import type { Aggregation } from '#search/aggregation/aggregation.js';
import type { FieldOptions, KeyKind } from '#search/aggregation/aggregation-node.js';
import { numberOf, unsupported } from '#search/aggregation/number-of.js';
import { emptyField } from '#search/field/reserved.js';
import { dateReading } from '#search/query/binding.js';
import { instantText } from '#search/query/option/instant.js';
import { dateOf, decimal, wholePart } from '#search/query/value-of.js';
import { pointOf } from '#search/syntax/geo-point.js';
import type { Input } from '#search/syntax/input.js';
import { isNumber, scalarText } from '#search/syntax/value.js';
import type { AggregationContext } from '../bucket/aggregation-context.js';

/** Assumed kind of a field that no record has. */
type Kind = KeyKind;

/**
 * Returns the field of an aggregation. If no record has it and there is a default, every record has that value.
 * @returns undefined if no record has the field and there is no default
 */
export const fieldOrMissing = (
  kind: Kind,
  { field: path, missing, takenFor }: FieldOptions,
  at: Input,
  context: AggregationContext,
): StoredField | undefined => {
  const field = widened(context.field(path, at), missing);
  if (field !== undefined || missing === undefined) return field;
  const taken = kind === 'keyword' ? (takenFor ?? kind) : kind;
  return { ...emptyField(path, taken), value: constant(taken, missing, context), always: true };
};

/**
 * Returns the location field of an aggregation, with its default for missing values.
 * @returns undefined if no record has the field and there is no default
 */
export const pointOrMissing = (
  kind: string,
  { field: path, missing }: FieldOptions,
  at: Input,
  context: AggregationContext,
): StoredField | undefined => {
  const field = context.field(path, at);
  if (field !== undefined && field.kind !== 'geo_point') throw unsupported(field, kind, at);
  if (missing === undefined) return field;
  const { lat, lon } = pointOf(scalarText(missing) ?? '', missing);
  const [value, longitude] = [sql`${lat}::float8`, sql`${lon}::float8`];
  if (field === undefined) return { ...emptyField(path, 'geo_point'), value, longitude, always: true };
  const either = (own: Sql, instead: Sql) => sql`coalesce(${own}, ${instead})`;
  return { ...field, value: either(field.value, value), longitude: either(field.longitude!, longitude), always: true };
};

/** Checks that the default for missing values fits its field, even if every record has a value. */
export const checkMissing = (aggregation: Aggregation, context: AggregationContext): void => {
  if (!('missing' in aggregation) || !('field' in aggregation) || aggregation.missing === undefined) return;
  const { kind, field: path, missing, at } = aggregation;
  const field = path === undefined ? undefined : context.field(path, at);
  if (field === undefined || field.kind === 'keyword') return;
  const format = 'format' in aggregation ? aggregation.format : undefined;
  if (field.kind === 'geo_point') pointOrMissing(kind, { field: field.path, missing }, at, context);
  else numberOf(field, missing, dateReading(context.planning.now, field.kind === 'date' ? format : undefined));
};

/** Turns a whole number field into a double if its default has a fraction. */
const widened = (field: StoredField | undefined, missing: Input | undefined): StoredField | undefined => {
  const text = (missing && scalarText(missing)) ?? '';
  if (field?.kind !== 'long' || !isNumber(text) || wholePart(text) !== undefined) return field;
  const values = field.values && sql`${field.values}::float8[]`;
  return {
    ...field,
    kind: 'double',
    valueType: 'double',
    value: sql`${field.value}::float8`,
    ...(values && { values }),
  };
};

const constant = (kind: Kind, missing: Input, { planning }: AggregationContext): Sql => {
  const text = scalarText(missing) ?? '';
  const read: Record<Kind, () => Sql> = {
    keyword: () => sql`${text}::text`,
    boolean: () => sql`${numberOf(emptyField('', 'boolean'), missing, dateReading(planning.now))}::float8`,
    double: () => sql`${decimal(text, missing)}::float8`,
    date: () => sql`${instantText(dateOf(missing, false, dateReading(planning.now)))}::timestamptz`,
  };
  return read[kind]();
};

import type { Part } from '#records/opensearch/engine.js';
import { typeOf } from '#records/opensearch/search/engine-field.js';
import type { FieldOptions } from '#search/aggregation/aggregation-node.js';
import { numberOf, unsupported } from '#search/aggregation/number-of.js';
import { type Field, type FieldKind, isNumeric } from '#search/field/field.js';
import { emptyField } from '#search/field/reserved.js';
import { dateReading } from '#search/query/binding.js';
import { coerce, dateOf } from '#search/query/value-of.js';
import type { Input } from '#search/syntax/input.js';
import { isNumber, scalarText } from '#search/syntax/value.js';
import type { EngineAggregationContext } from '../bucket/aggregation-context.js';

/** Source of an aggregation: a field, and its description for the engine. */
export interface Source {
  readonly field: Field;
  /** `field`, `missing` and `value_type`. */
  readonly body: Part;
}

/**
 * Returns the values of a field with the default for missing values. If the field is unknown, every record has the
 * default.
 * @param kind assumed kind of an unknown field.
 * @returns undefined for an unknown field without a default.
 */
export const sourceOf = (
  kind: Extract<FieldKind, 'keyword' | 'double' | 'date'>,
  { field: path, missing, takenFor }: FieldOptions,
  at: Input,
  context: EngineAggregationContext,
): Source | undefined => {
  const found = context.field(path, at);
  if (found === undefined && missing === undefined) return undefined;
  const taken = kind === 'keyword' ? (takenFor ?? kind) : kind;
  const field = widened(found ?? emptyField(path, taken), missing);
  const name = context.planning.compiler.nameOf(field);
  // Every record has a value of these fields.
  if (missing === undefined || field.always) return { field, body: { field: name } };
  const type = found === undefined && field.kind === 'keyword' ? 'string' : typeOf(field);
  return { field, body: { field: name, missing: engineValueOf(field, missing, context), value_type: type } };
};

/** Returns the same for numbers: dates in milliseconds, booleans as 0 and 1. */
export const numbersOf = (
  kind: string,
  options: FieldOptions,
  at: Input,
  context: EngineAggregationContext,
): Source | undefined => {
  const source = sourceOf('double', options, at, context);
  if (source !== undefined && !isNumeric(source.field)) throw unsupported(source.field, kind, at);
  return source;
};

/** Converts a value of a request to the form in which the engine compares it with the field. */
export const engineValueOf = (
  field: Field,
  value: Input,
  { planning: { now } }: EngineAggregationContext,
): string | number => {
  if (field.kind === 'date') return dateOf(value, false, dateReading(now));
  if (field.kind === 'boolean') return numberOf(field, value, dateReading(now));
  const coerced = coerce(field, value);
  return coerced === 'none' ? (scalarText(value) ?? '') : coerced.value;
};

/** Treats whole numbers as doubles if the default for missing values has a fraction. */
const widened = (field: Field, missing: Input | undefined): Field => {
  const text = (missing && scalarText(missing)) ?? '';
  if (field.kind !== 'long' || !isNumber(text) || Number(text) % 1 === 0) return field;
  return { ...field, kind: 'double', valueType: 'double' };
};

import { illegalArgument } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import type { Shaped } from '#search/syntax/object.js';
import { type Read, scalar, string } from '#search/syntax/value.js';
import type { FieldOptions, KeyKind } from '../aggregation-node.js';

/** Checks that a format is a text. It is parsed when the type of its field is known. */
export const formatText: Read<Input> = (input) => {
  string(input);
  return input;
};

const missingValue: Read<Input> = (input) => {
  if (input.isNull) throw illegalArgument('[missing] must not be null', input);
  return scalar(input);
};

const valueTypes = new Set([
  'string',
  'long',
  'double',
  'number',
  'date',
  'ip',
  'numeric',
  'geo_point',
  'boolean',
  'range',
]);

const keyKinds: ReadonlyMap<string, KeyKind> = new Map([
  ['string', 'keyword'],
  ['long', 'double'],
  ['double', 'double'],
  ['number', 'double'],
  ['numeric', 'double'],
  ['boolean', 'boolean'],
  ['date', 'date'],
]);

const valueType: Read<KeyKind | undefined> = (input) => {
  const name = string(input).toLowerCase();
  if (!valueTypes.has(name)) throw illegalArgument(`Unknown value type [${string(input)}]`, input);
  return keyKinds.get(name);
};

/** Refuses scripts, which no aggregation here supports. */
export function refuseScript(at: Input): never {
  throw illegalArgument('cannot execute [inline] scripts', at);
}

/** Options of every aggregation over the values of a field. */
export const valueSource = {
  field: string,
  missing: missingValue,
  format: formatText,
  value_type: valueType,
  script: refuseScript,
} as const;

/** Resolves the options of one of several fields, whose name must not be empty. */
export const namedField = (options: Parameters<typeof fieldOptions>[0], at: Input): FieldOptions => {
  if (!options.field)
    throw illegalArgument('[field] and [script] cannot both be null.  Please specify one or the other.', at);
  return fieldOptions(options, at);
};

/** Resolves parsed {@link valueSource} options. The field is required. */
export const fieldOptions = (
  { field, missing, format, value_type: takenFor }: Partial<Shaped<typeof valueSource>>,
  at: Input,
): FieldOptions => {
  if (field === undefined)
    throw illegalArgument('Required one of fields [field, script], but none were specified. ', at);
  return {
    field,
    ...(missing && !missing.isNull && { missing }),
    ...(format && !format.isNull && { format }),
    ...(takenFor && { takenFor }),
  };
};

const { format: _format, ...unformatted } = valueSource;

/** The {@link valueSource} options without `format`, for values that have a single form. */
export { unformatted };

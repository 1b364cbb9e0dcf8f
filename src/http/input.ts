import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import type { Fault } from '#common/errors.js';
import { JsonSyntaxError, toPlain } from '#json/json.js';
import { parseJson } from '#json/reader.js';

/**
 * Reads one value as an input type. Nothing is converted and nothing is dropped silently. A fault is added to `faults`
 * under its dotted path, and the value is then undefined.
 */
export type InputReader = (value: unknown, path: string, faults: Fault[]) => unknown;

/**
 * Creates a reader of JSON values. A number is not accepted as a text, nor a single item as a list, and an unknown
 * field is a fault.
 */
export const jsonReader = (type: GraphQLInputType): InputReader => {
  if (isNonNullType(type)) return jsonReader(type.ofType);
  if (isListType(type)) return listReader(type.ofType);
  return namedReader(type);
};

/** Creates a reader for the values of one query parameter, which come in the order of the query string. */
export const textReader = (type: GraphQLInputType): ((values: string[], path: string, faults: Fault[]) => unknown) => {
  const bare = isNonNullType(type) ? type.ofType : type;
  if (getNamedType(type).name === 'LocatedJSON') return readJsonText;
  const read = jsonReader(getNamedType(type));
  const parse = textParsers[getNamedType(type).name] ?? asText;
  if (isListType(bare)) {
    return (values, path, faults) =>
      values
        .flatMap((value) => value.split(','))
        .filter((value) => value !== '')
        .map((value, index) => read(parse(value), `${path}.${index}`, faults));
  }
  return (values, path, faults) =>
    values.length === 1 ? read(parse(values[0]!), path, faults) : fault(faults, path, 'must be given once');
};

/** Reads a parameter whose text is JSON. */
const readJsonText = (values: string[], path: string, faults: Fault[]): unknown => {
  if (values.length !== 1) return fault(faults, path, 'must be given once');
  try {
    const node = parseJson(values[0]!);
    // `toPlain` throws when a part of the JSON could not be read.
    toPlain(node);
    return node;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return fault(faults, path, `is not JSON: ${error.message}`);
    throw error;
  }
};

/** Adds a fault and returns undefined. */
export const fault = (faults: Fault[], path: string, message: string): undefined => {
  faults.push({ path, message });
};

/** Returns `parent.key`. A long key is cut to {@link maxKeyLength} characters. */
export const below = (parent: string, key: string | number): string => {
  const name = `${key}`.slice(0, maxKeyLength);
  return parent === '' ? name : `${parent}.${name}`;
};

const maxKeyLength = 100;
const decimal = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

const asText = (text: string): unknown => text;
const asNumber = (text: string): unknown => (decimal.test(text) ? Number(text) : text);
const asBoolean = (text: string): unknown => (text === 'true' || text === 'false' ? text === 'true' : text);
const textParsers: Partial<Record<string, (text: string) => unknown>> = {
  Int: asNumber,
  Float: asNumber,
  UnixTime: asNumber,
  Boolean: asBoolean,
};

const expect =
  (holds: (value: unknown) => boolean, message: string): InputReader =>
  (value, path, faults) =>
    holds(value) ? value : fault(faults, path, message);

const isText = (value: unknown) => typeof value === 'string';
const isInt32 = (value: unknown) => Number.isInteger(value) && (value as number) === ((value as number) | 0);
const scalarReaders: Partial<Record<string, InputReader>> = {
  String: expect(isText, 'must be a string'),
  ID: expect(isText, 'must be a string'),
  EmailAddress: expect(isText, 'must be a string'),
  Serial: expect(isText, 'must be a string'),
  URL: expect(isText, 'must be a string'),
  Int: (value, path, faults) => {
    if (!Number.isInteger(value)) return fault(faults, path, 'must be an integer');
    if (isInt32(value)) return value;
    const isLarge = (value as number) > 0;
    return fault(faults, path, isLarge ? 'must not be greater than 2147483647' : 'must not be less than -2147483648');
  },
  Float: expect(Number.isFinite, 'must be a number'),
  UnixTime: expect(Number.isFinite, 'must be a number'),
  Boolean: expect((value) => typeof value === 'boolean', 'must be true or false'),
};

const namedReader = (type: GraphQLNamedInputType): InputReader => {
  if (isEnumType(type)) return enumReader(type);
  if (isInputObjectType(type)) return objectReader(type);
  return (
    scalarReaders[type.name] ??
    ((value, path, faults) => {
      try {
        type.parseValue(value);
        return value;
      } catch (error) {
        return fault(faults, path, error instanceof Error ? error.message : `must be a ${type.name}`);
      }
    })
  );
};

const enumReader = (type: GraphQLEnumType): InputReader => {
  const names = type.getValues().map(({ name }) => name);
  return expect((value) => isText(value) && names.includes(value), `must be one of ${names.join(', ')}`);
};

const listReader = (item: GraphQLInputType): InputReader => {
  const read = jsonReader(item);
  return (value, path, faults) => {
    if (!Array.isArray(value)) return fault(faults, path, 'must be an array');
    return value.map((each, index) => {
      if (each !== null) return read(each, below(path, index), faults);
      return isNonNullType(item) ? fault(faults, below(path, index), 'must not be null') : null;
    });
  };
};

/** Reads an object. A `null` inside it counts as absent: objects are replaced whole, so there is nothing to clear. */
const objectReader = (type: GraphQLInputObjectType): InputReader => {
  const fields = new Map(
    Object.values(type.getFields()).map((field) => [
      field.name,
      { read: jsonReader(field.type), required: isRequiredInputField(field) },
    ]),
  );
  return (value, path, faults) => {
    if (!isRecord(value)) return fault(faults, path, 'must be an object');
    const result: Record<string, unknown> = {};
    for (const [key, each] of Object.entries(value)) {
      const field = fields.get(key);
      if (field === undefined) fault(faults, below(path, key), 'is not a known field');
      else if (each !== null) result[key] = field.read(each, below(path, key), faults);
    }
    for (const [name, { required }] of fields) {
      if (required && (value[name] ?? null) === null) fault(faults, below(path, name), 'is required');
    }
    return result;
  };
};

/** Whether a JSON value is an object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

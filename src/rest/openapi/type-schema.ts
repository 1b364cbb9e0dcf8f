import {
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { inputClass } from '#schema/arguments.js';
import { type JsonSchema, type Rules, rulesOf } from '#schema/rules.js';

const scalars: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  UnixTime: { type: 'number' },
  EmailAddress: { type: 'string' },
  Serial: { type: 'string' },
  URL: { type: 'string' },
  DateTimeISO: { type: 'string', format: 'date-time' },
  JSONObject: { type: 'object', additionalProperties: true },
};

/** Returns a reference to a component. */
export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Returns the schema of a type at the place of its use: objects and enums by reference, JSON scalars as any value. */
export const schemaOf = (type: GraphQLType): JsonSchema => {
  if (isNonNullType(type)) return schemaOf(type.ofType);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType) };
  return isObjectType(type) || isInputObjectType(type) || isEnumType(type)
    ? schemaRef(type.name)
    : (scalars[type.name] ?? {});
};

/**
 * Returns the component of an object, input or enum type. Undefined for other types, whose schema is written at each
 * use.
 */
export const componentOf = (type: GraphQLNamedType): JsonSchema | undefined => {
  if (isEnumType(type)) return enumComponent(type);
  if (isInputObjectType(type)) return inputComponent(type);
  return isObjectType(type) ? objectComponent(type) : undefined;
};

const described = ({ description }: { description?: string | null }): JsonSchema =>
  description ? { description } : {};

const enumComponent = (type: GraphQLEnumType): JsonSchema => ({
  type: 'string',
  enum: type.getValues().map(({ name }) => name),
  ...described(type),
});

/** Describes an object type. A nullable field without a value is absent, never null. */
const objectComponent = (type: GraphQLObjectType): JsonSchema => {
  const fields: GraphQLField<unknown, unknown>[] = Object.values(type.getFields());
  return {
    type: 'object',
    ...described(type),
    required: fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name),
    properties: Object.fromEntries(
      fields.map((field) => [field.name, { ...schemaOf(field.type), ...described(field) }]),
    ),
  };
};

const inputComponent = (type: GraphQLInputObjectType): JsonSchema => {
  const fields = Object.values(type.getFields());
  const rules = inputClass(type.name);
  return {
    ...described(type),
    ...bodySchema(fields.map((field) => ({ ...field, rules: rules && rulesOf(rules, field.name) }))),
  };
};

/** One field of a body: its type, and its rules if it has any. */
export interface BodyField {
  name: string;
  type: GraphQLType;
  description?: string | null;
  defaultValue?: unknown;
  rules?: Rules;
}

/**
 * Returns the schema of an object that a caller sends. Other fields are not allowed; an optional field may be `null`.
 */
export const bodySchema = (fields: readonly BodyField[]): JsonSchema => ({
  type: 'object',
  required: fields.filter(isRequired).map(({ name }) => name),
  properties: Object.fromEntries(
    fields.map((field) => [field.name, isRequired(field) ? valueSchema(field) : orNull(valueSchema(field))]),
  ),
  additionalProperties: false,
});

/** Whether a field is required. */
export const isRequired = ({ type, defaultValue }: BodyField): boolean =>
  isNonNullType(type) && defaultValue === undefined;

/** Returns the schema of one value that a caller sends, with its rules, description and default. */
export const valueSchema = ({ type, rules, defaultValue, ...field }: BodyField): JsonSchema => {
  const schema = schemaOf(type);
  const items = rules && 'items' in schema ? { items: { ...(schema.items as JsonSchema), ...rules.items } } : {};
  return {
    ...schema,
    ...items,
    ...rules?.value,
    ...(defaultValue !== undefined && { default: defaultValue }),
    ...described(field),
  };
};

/** Allows null, which a schema without a type allows anyway. */
const orNull = ({ description, ...schema }: JsonSchema): JsonSchema => ({
  ...('$ref' in schema
    ? { anyOf: [schema, { type: 'null' }] }
    : { ...schema, ...(schema.type !== undefined && { type: [schema.type, 'null'] }) }),
  ...(description !== undefined && { description }),
});

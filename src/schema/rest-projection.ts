import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import {
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  GraphQLString,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** Root fields that a projection keeps, named `Query.team` or `Mutation.updateTeam`. */
export type Kept = ReadonlySet<string>;

/**
 * Projects the schema to REST: only the kept operations, no subscriptions, no interfaces, and no field or argument
 * marked graph-only. A field with the extension `restShape` (the name of a type) has that type, read from the row. An
 * enum or count with the extension `restScalar` is plain text or a number.
 */
export const projectForRest = (schema: GraphQLSchema, kept: Kept): GraphQLSchema =>
  pruneSchema(
    mapSchema(schema, {
      [MapperKind.QUERY_ROOT_FIELD]: (config, field) =>
        kept.has(`Query.${field}`) ? reshape(schema, withoutGraphOnly(config)) : null,
      [MapperKind.MUTATION_ROOT_FIELD]: (config, field) =>
        kept.has(`Mutation.${field}`) ? reshape(schema, withoutGraphOnly(config)) : null,
      [MapperKind.SUBSCRIPTION]: () => null,
      [MapperKind.INTERFACE_TYPE]: () => null,
      [MapperKind.OBJECT_FIELD]: (config) => (config.extensions?.graphOnly === true ? null : narrow(schema, config)),
    }),
  );

type Field = GraphQLFieldConfig<unknown, unknown>;

/** Removes the arguments that only GraphQL has. */
const withoutGraphOnly = (config: Field): Field => {
  const args = Object.entries(config.args ?? {}).filter(([, { extensions }]) => extensions?.['graphOnly'] !== true);
  return { ...config, args: Object.fromEntries(args) };
};

/** Replaces the type of an operation's result. The operation keeps its resolver. */
const reshape = (schema: GraphQLSchema, config: Field): Field => {
  const name = config.extensions?.restShape;
  if (typeof name !== 'string') return config;
  return { ...config, type: replaceNamed(config.type, restShape(schema, name)) };
};

/** REST types of fields that have a narrower type in the graph. */
const restScalars = { String: GraphQLString, Float: GraphQLFloat };

const narrow = (schema: GraphQLSchema, config: Field): Field => {
  const scalar = restScalars[config.extensions?.restScalar as keyof typeof restScalars] as
    | GraphQLScalarType
    | undefined;
  if (scalar !== undefined) return { ...config, type: replaceNamed(config.type, scalar) };
  const reshaped = reshape(schema, config);
  return reshaped === config ? config : { ...reshaped, resolve: undefined };
};

const restShape = (schema: GraphQLSchema, name: string): GraphQLObjectType => {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`The schema has no object type "${name}" for REST.`);
  return type;
};

/** Rebuilds the same lists and non-nulls around another type. */
const replaceNamed = (type: GraphQLOutputType, named: GraphQLObjectType | GraphQLScalarType): GraphQLOutputType => {
  if (isNonNullType(type)) return new GraphQLNonNull(replaceNamed(type.ofType, named));
  if (isListType(type)) return new GraphQLList(replaceNamed(type.ofType, named));
  return named;
};

import { type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { type ContainerType, getMetadataStorage, type ResolverData } from 'type-graphql';
import { requireValid, toInstance } from './arguments.js';
import type { Context } from './context.js';
import { PageArgs } from './list.args.js';
import { everything, type SelectionInfo } from './selected-fields.js';

type Resolve = GraphQLFieldResolver<unknown, Context>;
type Call = ResolverData<Context>;
type Handler = ReturnType<typeof getMetadataStorage>['queries' | 'fieldResolvers'][number];
type Parameter = NonNullable<Handler['params']>[number];
type Class = new () => object;

/**
 * Makes fields call their methods directly. TypeGraphQL's own call takes several promises and a check of the arguments
 * for each row. Here, arguments are created and checked once for all consecutive rows that have the same. Of types
 * other than the root types, every other field only reads its row.
 */
export function callMethods(schema: GraphQLSchema, container: ContainerType): void {
  const { queries, mutations, fieldResolvers, objectTypes } = getMetadataStorage();
  const resolved = new Set<unknown>();
  const connect = (typeName: string | undefined, handler: Handler) => {
    const type = typeName === undefined ? undefined : schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[handler.schemaName] : undefined;
    if (field === undefined) return;
    field.resolve = resolverOf(handler, container);
    resolved.add(field);
  };
  for (const query of queries) connect(schema.getQueryType()?.name, query);
  for (const mutation of mutations) connect(schema.getMutationType()?.name, mutation);
  // A class's own field resolver replaces those of its parent classes, regardless of the order of registration.
  const owned = fieldResolvers.map((edge) => ({ edge, owner: edge.getObjectType?.() }));
  for (const { edge, owner } of owned.toSorted((a, b) => generation(a.owner) - generation(b.owner))) {
    for (const { name, target } of objectTypes) {
      if (owner === target || (owner && Object.prototype.isPrototypeOf.call(owner, target))) connect(name, edge);
    }
  }
  for (const { name } of objectTypes) {
    const type = schema.getType(name);
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) if (!resolved.has(field)) delete field.resolve;
  }
}

/** Returns the number of classes in a class's chain of inheritance. */
const generation = (type: unknown): number =>
  typeof type === 'function' ? 1 + generation(Object.getPrototypeOf(type)) : 0;

const resolverOf = ({ target, methodName, params = [] }: Handler, container: ContainerType): Resolve => {
  const values = params.toSorted((a, b) => a.index - b.index).map(valueOf);
  return (root, args, context, info) => {
    const call: Call = { root, args: args as Call['args'], context, info };
    const instance = container.get(target, call) as Readonly<Record<string, (...values: unknown[]) => unknown>>;
    return instance[methodName]!(...values.map((value) => value(call)));
  };
};

const valueOf = (parameter: Parameter): ((call: Call) => unknown) => {
  switch (parameter.kind) {
    case 'args':
      return argumentsOf(parameter.getType() as Class);
    case 'root':
      return ({ root }) => root as unknown;
    case 'context':
      return ({ context }) => context;
    case 'custom':
      return parameter.resolver;
    default:
      throw new Error(`Operations declare their arguments as a class, not by @${parameter.kind}.`);
  }
};

/**
 * Creates the instance of an arguments class that a method receives, or reuses the last one when the arguments are the
 * same.
 */
const argumentsOf = (type: Class) => {
  const isPage = type === PageArgs || type.prototype instanceof PageArgs;
  let last: ({ args: Call['args']; instance: object } & SelectionInfo) | undefined;
  return (call: Call): object => {
    const { args } = call;
    const { selected = everything, connection } = call.info as SelectionInfo;
    const isSelected = last?.selected === selected && last.connection === connection;
    if (last !== undefined && isSelected && isSame(last.args, args)) return last.instance;
    const instance = toInstance(args, type);
    requireValid(instance, type);
    if (isPage) Object.assign(instance, { selected });
    if (isPage && connection) Object.assign(instance, { connection: connection.shown, after: connection.after });
    last = { args, selected, ...(connection && { connection }), instance: Object.freeze(instance) };
    return instance;
  };
};

function isSame(some: Call['args'], others: Call['args']): boolean {
  const names = Object.keys(some);
  if (names.length !== Object.keys(others).length) return false;
  for (const name of names) if (some[name] !== others[name]) return false;
  return true;
}

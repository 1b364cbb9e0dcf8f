import { OptimisticLockError } from '@mikro-orm/core';
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLSchema,
  getNullableType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import {
  buildSchemaSync,
  type ClassType,
  type ContainerType,
  getMetadataStorage,
  type NonEmptyArray,
  type PubSub,
} from 'type-graphql';
import '#entities/enum-types.js';
import { constraintError } from '#common/constraints.js';
import { conflict } from '#common/errors.js';
import { Account, OrganizationMember, TeamMemberListItem } from '#entities/account.js';
import { ApplicationListItem, ApplicationReference } from '#entities/application.js';
import { DeliveryListItem } from '#entities/delivery.js';
import { DeviceListItem } from '#entities/device.js';
import { HookListItem } from '#entities/hook.js';
import { ProductListItem, ProductReference, PublicProductListItem } from '#entities/product.js';
import { TeamListItem } from '#entities/team.js';
import { argumentsClass, checkArguments } from './arguments.js';
import { chargeLists } from './charge-lists.js';
import { addConnections } from './connections.js';
import type { Context } from './context.js';
import { closeToLinks } from './dashboard-link.js';
import { describeExamples } from './examples.js';
import { callMethods } from './method.js';
import { isAudited, noteRefusal, operationOf, requireScope } from './scope.js';
import { describePromises } from './shared-descriptions.js';

/** Resolver classes, and the container of their instances. */
export interface SchemaOptions {
  resolvers: NonEmptyArray<ClassType>;
  container: ContainerType;
}

/** Types that only REST shows. The graph does not refer to them. */
const restShapes = [
  Account,
  ApplicationListItem,
  ApplicationReference,
  DeliveryListItem,
  DeviceListItem,
  HookListItem,
  OrganizationMember,
  ProductListItem,
  ProductReference,
  PublicProductListItem,
  TeamListItem,
  TeamMemberListItem,
];

/**
 * Builds the graph that GraphQL serves. Any operation may be refused, so none is non-null: a refused operation is null,
 * and the others of the document keep their results (GraphQL, section 6.4.4).
 */
export function buildGraph(options: SchemaOptions): GraphQLSchema {
  const pages = withoutRestOnly(build(options, []));
  describePromises(pages);
  const schema = addConnections(pages);
  describeExamples(schema);
  chargeLists(schema);
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) field.type = getNullableType(field.type);
  }
  return schema;
}

/** Builds the graph with the types that its projection to REST needs. */
export const buildGraphForRest = (options: SchemaOptions): GraphQLSchema => build(options, restShapes);

/** Removes operations and arguments that only REST has. */
function withoutRestOnly(schema: GraphQLSchema): GraphQLSchema {
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    const operations = root?.getFields() ?? {};
    for (const operation of Object.values(operations)) {
      if (operation.extensions['restOnly'] === true) delete operations[operation.name];
      operation.args = operation.args.filter(({ extensions }) => extensions['restOnly'] !== true);
    }
  }
  return schema;
}

type Field = GraphQLField<unknown, Context>;

function build({ resolvers, container }: SchemaOptions, orphanedTypes: ClassType[]): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers,
    container,
    orphanedTypes,
    validateFn: checkArguments,
    pubSub: noPubSub,
    // The check introspects the whole schema, which takes 0.1 s of each start. Apollo refuses an invalid schema anyway.
    skipCheck: true,
  });
  callMethods(schema, container);
  const roots = [schema.getQueryType(), schema.getMutationType()];
  for (const root of roots) {
    for (const field of Object.values(root?.getFields() ?? {})) guard(field, root?.name === 'Mutation');
  }
  for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) openByMethod(field);
  for (const type of Object.values(schema.getTypeMap())) if (isInterfaceType(type)) resolveByName(type);
  inheritExtensions(schema);
  closeToLinks(schema);
  markArguments(roots.flatMap((root) => Object.values(root?.getFields() ?? {})));
  return schema;
}

/**
 * Wraps an operation, for REST and GraphQL: checks the token's scope, translates violated constraints, and begins the
 * operation's event in the audit log. The mutations of a document run one after the other on one unit of work, so each
 * starts without what was read before it, and a refused one leaves no change behind that the next would store. A
 * mutation that read a row which another call has changed meanwhile starts again.
 */
function guard(field: Field, changes: boolean): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  const operation = operationOf(field, changes);
  const attempt: Attempt = (root, args, context, info) => {
    if (changes) {
      context.readPrimary();
      context.loaders.clear();
    }
    if (isAudited(operation)) context.audit.begin(field.name);
    return resolve(root, args, context, info);
  };
  const run = changes ? untilCurrent(attempt) : attempt;
  field.resolve = async (root, args, context, info) => {
    try {
      requireScope(context.caller, operation);
      return await run(root, args, context, info);
    } catch (error) {
      const told = constraintError(error) ?? error;
      if (changes) context.em.clear();
      await noteRefusal(context, operation, told);
      throw told;
    }
  };
}

type Attempt = NonNullable<Field['resolve']>;

/** Maximum number of attempts of a mutation. Of calls that change one thing at once, one succeeds in each round. */
const attempts = 100;

/**
 * Repeats a mutation whose row another call has changed between its read and its write. Nothing of the failed attempt
 * is stored.
 */
const untilCurrent =
  (attempt: Attempt): Attempt =>
  async (root, args, context, info) => {
    for (let left = attempts; ; left -= 1) {
      try {
        return (await attempt(root, args, context, info)) as unknown;
      } catch (error) {
        if (!(error instanceof OptimisticLockError)) throw error;
        if (left === 1) throw conflict('Other calls change this at the same time. Send the call again.');
        context.em.clear();
      }
    }
  };

/** Makes the method of a subscription open its stream, whose events are the results. */
function openByMethod(field: Field): void {
  guard(field, false);
  const { resolve } = field;
  if (resolve === undefined) return;
  field.subscribe = resolve;
  field.resolve = (event) => event;
}

/** TypeGraphQL requires a PubSub. Our streams come from methods. */
const noPubSub: PubSub = {
  publish: () => undefined,
  subscribe: () => {
    throw new Error('There are no topics.');
  },
};

/**
 * Resolves the type of an interface's value by `__typename`. TypeGraphQL would return a promise there, which
 * graphql-jit does not await.
 */
function resolveByName(type: GraphQLInterfaceType): void {
  type.resolveType = (value: { __typename: string }) => value.__typename;
}

/** Copies the marks of arguments to the schema, as TypeGraphQL does not pass on extensions of arguments. */
function markArguments(operations: readonly Field[]): void {
  const marks = getMetadataStorage().fieldExtensions.filter(
    ({ extensions }) => extensions['graphOnly'] === true || extensions['restOnly'] === true,
  );
  for (const { name, args } of operations) {
    const type = argumentsClass(name);
    if (type === undefined) continue;
    for (const argument of args) {
      const mark = marks.find(
        ({ target, fieldName }) =>
          fieldName === argument.name && (target === type || Object.prototype.isPrototypeOf.call(target, type)),
      );
      if (mark !== undefined) argument.extensions = mark.extensions;
    }
  }
}

/** Keeps the extensions of an inherited field, also when a resolver redefines the field. */
function inheritExtensions(schema: GraphQLSchema): void {
  const { objectTypes, fieldExtensions } = getMetadataStorage();
  for (const { name, target } of objectTypes) {
    const type = schema.getType(name);
    if (!isObjectType(type) || target === undefined) continue;
    for (const { target: owner, fieldName, extensions } of fieldExtensions) {
      const field = type.getFields()[fieldName];
      if (field && Object.prototype.isPrototypeOf.call(owner, target)) {
        field.extensions = { ...extensions, ...field.extensions };
      }
    }
  }
}

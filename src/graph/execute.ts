import { setImmediate } from 'node:timers/promises';
import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type ValueNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type CompiledQuery, compileQuery } from 'graphql-jit';
import { selectedFieldsOf } from '#schema/selected-fields.js';
import { storedText } from '#schema/stored-text.js';
import type { GraphContext } from './context.js';
import { countSelections } from './document-limit.js';
import { createQueue } from './one-at-a-time.js';

type GatewayInterface = ApolloServerOptionsWithGateway<GraphContext>['gateway'];
type Data = Record<string, unknown>;

/** The result of an operation. Without `data`, no resolver ran. */
export type Result = Pick<ExecutionResult<Data>, 'data' | 'errors'>;

/**
 * Runs one operation.
 * @throws timedOut when the request's time runs out first.
 */
export type Run = (context: GraphContext, variables: Data | undefined) => Promise<Result>;

/** Compiles an operation of a validated document, once. */
export type Prepare = (document: DocumentNode, operation: OperationDefinitionNode) => Run;

/**
 * Maximum number of selections of an operation that is compiled. Compiling takes about 0.1 ms per selection; graphql-js
 * runs larger operations without compiling.
 */
const compiledUpTo = 500;

/**
 * Creates the function that compiles operations. Each operation is compiled once, and one per iteration of the event
 * loop, so that a batch of new documents delays other requests by one compilation and not by all. A compiled form lives
 * as long as its parsed document.
 */
export const createPrepare = (schema: GraphQLSchema): Prepare => {
  const prepared = new WeakMap<OperationDefinitionNode, Run>();
  const queue = createQueue();
  return (document, operation) => {
    const cached = prepared.get(operation);
    if (cached !== undefined) return cached;
    const size = countSelections(document, operation);
    const isCompiled = size <= compiledUpTo && !hasOwnLiterals(schema, document);
    const make = () =>
      runOf(
        isCompiled ? compile(schema, document, operation) : interpreted(schema, document, operation),
        defaultsOf(operation),
      );
    const run = isCompiled ? madeLater(make, queue) : make();
    prepared.set(operation, run);
    return run;
  };
};

const compile = (schema: GraphQLSchema, document: DocumentNode, { name }: OperationDefinitionNode) =>
  compileQuery<Data>(schema, document, name?.value, {
    customSerializers: storedText,
    // Resolvers return values that fit GraphQL's scalars already (test/graph/value-type). Checking them takes a tenth
    // of a request's time.
    disableLeafSerialization: true,
    resolverInfoEnricher: (field) => ({ selected: selectedFieldsOf(field) }),
  });

/** Returns a run that is compiled at its first use, once the queue allows it. */
const madeLater = (make: () => Run, queue: () => Promise<void>): Run => {
  let made: Promise<Run> | undefined;
  return async (context, variables) => {
    made ??= queue().then(make);
    return (await made)(context, variables);
  };
};

const runOf =
  (compiled: Pick<CompiledQuery<Data>, 'query'> | ExecutionResult<Data>, defaults: Data): Run =>
  async (context, variables) => {
    if (!('query' in compiled)) return { errors: compiled.errors ?? [] };
    const running = Promise.resolve(compiled.query(undefined, context, { ...defaults, ...variables }));
    const { data, errors } = await context.budget.within(running);
    await reserveAnswer(data, context.reserve);
    if (errors === undefined) return { data: data as Data };
    // Without `data` no resolver ran: the values of variables were invalid.
    return data === undefined ? { errors: errors.map(asInputError) } : { data, errors: errors.map(asUsual) };
  };

/**
 * Whether the document has literals of custom scalars. Compiling writes such values as JSON, which loses their type (a
 * date, a position in a text). Values of variables are not affected.
 */
function hasOwnLiterals(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let found = false;
  const look = ({ value }: { value: ValueNode }) => {
    const type = getNamedType(types.getInputType());
    if (value.kind !== Kind.VARIABLE && isScalarType(type) && !isSpecifiedScalarType(type)) found = true;
  };
  visit(document, visitWithTypeInfo(types, { Argument: look, ObjectField: look }));
  return found;
}

/** Returns a run of the operation that graphql-js interprets. */
const interpreted = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { name }: OperationDefinitionNode,
): Pick<CompiledQuery<Data>, 'query'> => ({
  query: async (rootValue, contextValue, variableValues) =>
    execute({ schema, document, rootValue, contextValue, variableValues, operationName: name?.value }),
});

/**
 * Returns the defaults of an operation's variables. The compiled query treats a non-null variable with a default as
 * required, so the default is passed to it.
 */
const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Data =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  );

const noSuchOperation = (name: string | undefined): GraphQLError =>
  new GraphQLError(
    name === undefined
      ? 'The document has several operations: choose one with `operationName`.'
      : `The document has no operation "${name}".`,
  );

/** Rebuilds an error as a full GraphQLError. Errors of graphql-jit lack properties that formatting relies on. */
const asUsual = ({ message, path, originalError }: GraphQLError): GraphQLError =>
  new GraphQLError(message, { path, originalError });

/** Adds the scalar's own message, which graphql-jit leaves out. */
const asInputError = ({ message, originalError }: GraphQLError): GraphQLError =>
  new GraphQLError(originalError == null ? message : `${message} ${originalError.message}.`, {
    originalError,
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
  });

/** Wraps the executor as a gateway, the interface through which Apollo accepts another executor. */
export const asGateway = (schema: GraphQLSchema, prepare: Prepare): GatewayInterface => ({
  load: async () => ({
    executor: async ({ document, operation, request, context }) =>
      operation === undefined
        ? { errors: [noSuchOperation(request.operationName)] }
        : prepare(document, operation)(context as GraphContext, request.variables),
  }),
  onSchemaLoadOrUpdate(take) {
    take({ apiSchema: schema, coreSupergraphSdl: '' });
    return () => undefined;
  },
  stop: async () => undefined,
});

/**
 * `portion`: bytes that are reported to `reserve` together. `yieldEvery`: number of values after which the count yields
 * the event loop.
 */
const portion = 64 * 1024;
const yieldEvery = 20_000;

/**
 * Estimates the size of an answer's JSON in bytes before it is written, and passes it to `reserve` in portions. The
 * data alone do not show that size: aliases, and rows that many other rows refer to, write the same value many times.
 */
async function reserveAnswer(data: unknown, reserve: (bytes: number) => void): Promise<void> {
  const rest: object[] = [];
  let bytes = 0;
  let count = 0;
  const add = (value: unknown) => {
    count++;
    if (typeof value === 'string') bytes += value.length + 3;
    else if (typeof value === 'object' && value !== null) rest.push(value);
    else bytes += 6;
  };
  add(data);
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (Array.isArray(value)) for (const item of value) add(item);
    else addFields(value as Readonly<Record<string, unknown>>);
    if (bytes > portion) {
      reserve(bytes);
      bytes = 0;
    }
    if (count >= yieldEvery) {
      count = 0;
      await setImmediate();
    }
  }
  reserve(bytes);

  function addFields(fields: Readonly<Record<string, unknown>>): void {
    // `Object.keys` would create an array for each row. A row inherits no fields, so `for … in` visits the same ones.
    for (const name in fields) {
      bytes += name.length + 3;
      add(fields[name]);
    }
  }
}

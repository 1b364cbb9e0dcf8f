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
import { selectedFieldsOf } from '../schema/selected-fields.js';
import { storedText } from '../schema/stored-text.js';
import { reserveAnswer } from './answer-weight.js';
import type { GraphContext } from './context.js';
import { countSelections } from './document-limit.js';
import { createQueue } from './one-at-a-time.js';

type GatewayInterface = ApolloServerOptionsWithGateway<GraphContext>['gateway'];
type Data = Record<string, unknown>;

/** The result of an operation. Without `data`, no resolver ran. */
export type Result = Pick<ExecutionResult<Data>, 'data' | 'errors'>;

/** Runs one operation. @throws timedOut where its request's time is over first. */
export type Run = (context: GraphContext, variables: Data | undefined) => Promise<Result>;

/** Compiles an operation of a validated document, once. */
export type Prepare = (document: DocumentNode, operation: OperationDefinitionNode) => Run;

/** Selections of an operation that is compiled, which takes about 0.1 ms for each; larger ones run as graphql-js runs them. */
const compiledUpTo = 500;

/**
 * Compiles operations, once each, one in an iteration of the event loop: a batch of new documents delays others by one of
 * them, not by all. The compiled form lives as long as the parsed document.
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
    // What resolvers give fits the scalars of GraphQL already (test/graph/value-type): to check it takes a tenth of a request.
    disableLeafSerialization: true,
    resolverInfoEnricher: (field) => ({ selected: selectedFieldsOf(field) }),
  });

/** A run that is made when it is first used, once the queue lets it. */
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
    // Without data nothing ran: the values of variables were wrong.
    return data === undefined ? { errors: errors.map(asInputError) } : { data, errors: errors.map(asUsual) };
  };

/**
 * Whether the text itself holds values of scalars of our own. Compiling writes such values down as JSON, which loses
 * what they are (a date, a place in a text); values of variables are not concerned.
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

/** The same without compiling. */
const interpreted = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { name }: OperationDefinitionNode,
): Pick<CompiledQuery<Data>, 'query'> => ({
  query: async (rootValue, contextValue, variableValues) =>
    execute({ schema, document, rootValue, contextValue, variableValues, operationName: name?.value }),
});

/** The compiled query takes a non-null variable with a default for a required one, so it is given the default. */
const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Data =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  );

const noSuchOperation = (name: string | undefined): GraphQLError =>
  new GraphQLError(
    name === undefined
      ? 'The document has several operations: say with `operationName` which is meant.'
      : `The document has no operation "${name}".`,
  );

/** Makes a full GraphQLError: those of graphql-jit lack properties that formatting relies on. */
const asUsual = ({ message, path, originalError }: GraphQLError): GraphQLError =>
  new GraphQLError(message, { path, originalError });

/** Adds the scalar's own message, which graphql-jit leaves out. */
const asInputError = ({ message, originalError }: GraphQLError): GraphQLError =>
  new GraphQLError(originalError == null ? message : `${message} ${originalError.message}.`, {
    originalError,
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
  });

/** A gateway: the interface through which Apollo takes another executor. */
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

import type { Request } from 'express';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { unavailable } from '#common/errors.js';
import { timeSlices } from '#scheduling/time-slice.js';
import type { Context } from '#schema/context.js';
import { costOf } from '../cost.js';
import { bounds, boundsRule } from '../document-limit.js';
import { createExplain, type ErrorOptions } from '../errors.js';
import { RequestBudget } from '../request-budget.js';
import type { SubscriptionCounter } from './subscription-counter.js';

type Caller = Context['caller'];

/** An operation as the client sent it, not yet checked. */
export interface ClientOperation {
  query?: unknown;
  operationName?: unknown;
  variables?: unknown;
}

/** The subscriber and its connection. */
export interface Visitor {
  caller: Caller;
  request: Request;
  /** The connection that its subscriptions count against. */
  connection: object;
}

/** Results of a subscription in the form in which they are sent. Calling `return` ends the subscription at once. */
export type Results = AsyncGenerator<FormattedExecutionResult, undefined>;

/** A running subscription, or the errors that prevented it. */
export type Opened = { results: Results } | { errors: readonly GraphQLFormattedError[] };

export interface SubscriptionOptions {
  schema: GraphQLSchema;
  /** Creates the context of one event. `left` is aborted when the subscription ends. */
  createContext: (caller: Caller, request: Request, budget: RequestBudget, left: AbortSignal) => Context;
  errors: ErrorOptions;
  counter: SubscriptionCounter;
  /** Timeout of opening a subscription, and of executing one event, in milliseconds. */
  timeout: number;
}

/** Opens subscriptions, for both transports. */
export interface Subscriptions {
  open(operation: ClientOperation, visitor: Visitor): Promise<Opened>;
  /** Ends all subscriptions and opens no more. */
  endAll(): Promise<void>;
}

/**
 * Creates the subscriptions. They have the same limits, checks and masked errors as queries. Each event is executed
 * with a context of its own, so that nothing is cached from one event to the next.
 */
export function createSubscriptions(options: SubscriptionOptions): Subscriptions {
  const { schema, createContext, counter, timeout } = options;
  const explain = createExplain(options.errors);
  const running = new Set<Results>();
  let ended = false;

  /** Returns the errors that end a stream or keep it from being opened. */
  const faultsOf = (error: unknown): GraphQLFormattedError[] => {
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
    return errors.map(explain);
  };

  const open = async (operation: ClientOperation, { caller, request, connection }: Visitor): Promise<Results> => {
    await timeSlices.ifOver(caller.organizationId);
    if (ended) throw unavailable('The service stops. Subscribe again.');
    const { document, operationName, variableValues } = read(schema, operation);
    const cost = costOf(schema, document, getOperationAST(document, operationName)!, variableValues);
    const release = counter.take(connection, caller.tokenId);
    const left = new AbortController();
    const contextOf = () => {
      const budget = new RequestBudget(timeout);
      budget.spend(cost);
      return Object.assign(createContext(caller, request, budget, left.signal), { budget });
    };
    const run = { schema, document, operationName, variableValues };
    let results: Results | undefined;
    const close = () => {
      release();
      left.abort();
      if (results !== undefined) running.delete(results);
    };
    const opening = contextOf();
    const begun = createSourceEventStream({ ...run, contextValue: opening });
    let source: AsyncIterable<unknown> | ExecutionResult;
    try {
      source = await opening.budget.within(begun);
    } catch (error) {
      close();
      // A stream that opens after the deadline has no reader, so it is closed.
      begun.then(leave, () => undefined);
      throw error;
    }
    if (!(Symbol.asyncIterator in source)) {
      close();
      throw new AggregateError((source.errors ?? []).map(asInputFault));
    }
    const show = async (event: unknown): Promise<FormattedExecutionResult> => {
      const contextValue = contextOf();
      const showing = Promise.resolve(execute({ ...run, rootValue: event, contextValue }));
      const { data, errors } = await contextValue.budget.within(showing);
      return { ...(data !== undefined && { data }), ...(errors && { errors: errors.map(explain) }) };
    };
    const end = (error: unknown) => new Ended(faultsOf(error));
    results = resultsOf(source as AsyncGenerator<unknown, undefined>, { close, show, end });
    running.add(results);
    if (ended) await results.return(undefined);
    return results;
  };

  return {
    async open(operation, visitor) {
      try {
        return { results: await open(operation, visitor) };
      } catch (error) {
        return { errors: faultsOf(error) };
      }
    },
    async endAll() {
      ended = true;
      await Promise.all([...running].map((results) => results.return(undefined)));
    },
  };
}

const leave = (source: AsyncIterable<unknown> | ExecutionResult): void => {
  if (Symbol.asyncIterator in source) void (source as AsyncGenerator<unknown>).return(undefined);
};

/**
 * Parses and validates an operation, and checks that it is a subscription within the limits.
 * @throws AggregateError with all faults of the document, or a GraphQLError.
 */
function read(schema: GraphQLSchema, { query, operationName, variables }: ClientOperation) {
  if (typeof query !== 'string') throw fault('The operation needs a `query`, a text.', 'BAD_REQUEST');
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: bounds.tokens });
  } catch (error) {
    throw error instanceof GraphQLError ? coded(error, 'GRAPHQL_PARSE_FAILED') : error;
  }
  const faults = validate(schema, document, [...specifiedRules, boundsRule]);
  if (faults.length > 0) throw new AggregateError(faults.map((each) => coded(each, 'GRAPHQL_VALIDATION_FAILED')));
  const name = typeof operationName === 'string' ? operationName : undefined;
  const operation = getOperationAST(document, name);
  if (operation == null) throw fault('Choose an operation with `operationName`.', 'BAD_REQUEST');
  if (operation.operation !== OperationTypeNode.SUBSCRIPTION) {
    throw fault(
      'Only subscriptions are answered as a stream. POST queries and mutations, and accept JSON.',
      'BAD_REQUEST',
    );
  }
  const values = typeof variables === 'object' && variables !== null ? variables : {};
  return { document, operationName: name, variableValues: values as Record<string, unknown> };
}

const fault = (message: string, code: string) => new GraphQLError(message, { extensions: { code } });

const coded = (error: GraphQLError, code: string): GraphQLError =>
  error.originalError === undefined
    ? new GraphQLError(error.message, {
        nodes: error.nodes,
        source: error.source,
        positions: error.positions,
        extensions: { code, ...error.extensions },
      })
    : error;

/**
 * Marks an error that graphql-js raised before it called the resolver: it is a fault of the variables. An error that
 * the resolver threw stays as it is.
 */
const asInputFault = (error: GraphQLError): GraphQLError => {
  const { message, nodes, path, originalError } = error;
  if (path !== undefined && !(originalError instanceof GraphQLError)) return error;
  return new GraphQLError(message, { nodes, originalError, extensions: { code: 'BAD_USER_INPUT' } });
};

/**
 * Creates the results of a stream's events. An async generator does not serve here: it could not be left while it waits
 * for the next event, and the subscription would count until that event came.
 */
function resultsOf(
  source: AsyncGenerator<unknown, undefined>,
  {
    close,
    show,
    end,
  }: {
    close: () => void;
    show: (event: unknown) => Promise<FormattedExecutionResult>;
    end: (error: unknown) => Ended;
  },
): Results {
  const leave = async () => {
    close();
    await source.return(undefined);
    return done;
  };
  return {
    async next() {
      try {
        const event = await source.next();
        if (event.done !== true) return { done: false, value: await show(event.value) };
      } catch (error) {
        await leave();
        throw end(error);
      }
      return leave();
    },
    return: leave,
    async throw(error: unknown) {
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await leave();
    },
  };
}

const done = { done: true, value: undefined } as const;

/** The end of a stream, with the errors that the subscriber gets. */
export class Ended extends Error {
  constructor(readonly errors: readonly GraphQLFormattedError[]) {
    super(errors[0]?.message);
  }
}

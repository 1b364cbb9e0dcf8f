import { type FieldNode, Kind, type ValueNode } from 'graphql';
import { isQuery, rootFields, type SentOperation } from './batch.js';

/** Weight of operations: requests against the rate limit, and calls of the organization's usage. */
export interface Weight {
  requests: number;
  calls: number;
}

/**
 * Shares of a request that an operation of a batch counts as before it runs. An operation of a batch saves the
 * connection, the authentication and the answer of a request of its own.
 */
const shares = { query: 0.1, mutation: 0.5 };

/**
 * Number of items of a bulk mutation that count as one request: putting 1,000 devices takes as long as 100 requests.
 */
const itemsOfRequest = 10;

/** Number of objects of a batch's queries which count as one request. */
const objectsOfRequest = 250;

/** Returns the weight of the operations of one request before they run. The request itself is part of it. */
export function weigh(operations: readonly SentOperation[], isBatch: boolean): Weight {
  const weights = operations.map((operation) => weightOf(operation, isBatch));
  return {
    requests: Math.max(
      1,
      weights.reduce((sum, { requests }) => sum + requests, 0),
    ),
    calls: Math.max(
      1,
      weights.reduce((sum, { calls }) => sum + calls, 0),
    ),
  };
}

const weightOf = (sent: SentOperation, isBatch: boolean): Weight => {
  const each = isBatch ? shares : { query: 1, mutation: 1 };
  if (isQuery(sent)) return { requests: each.query, calls: 1 };
  const fields = rootFields(sent);
  const calls = Math.max(1, fields.length);
  const items = fields.reduce((sum, field) => sum + itemsOf(field, sent), 0);
  return { requests: each.mutation * calls + items / itemsOfRequest, calls };
};

const putField = /^put[A-Z]/;

/** Counts the items of the list that a field puts: of the literal, the variable sent, or the variable's default. */
const itemsOf = ({ name, arguments: args = [] }: FieldNode, { operation, variables }: SentOperation): number => {
  if (!putField.test(name.value)) return 0;
  const lengths = args.map(({ value }) => {
    if (value.kind !== Kind.VARIABLE) return lengthOf(value);
    const sent = variables[value.name.value];
    if (sent !== undefined) return Array.isArray(sent) ? sent.length : 0;
    const declared = operation?.variableDefinitions?.find(({ variable }) => variable.name.value === value.name.value);
    return lengthOf(declared?.defaultValue);
  });
  return Math.max(0, ...lengths);
};

const lengthOf = (value: ValueNode | undefined): number => (value?.kind === Kind.LIST ? value.values.length : 0);

/** Returns the requests that a query of a batch counts as beyond its share, once its cost in objects is known. */
export const requestsOfObjects = (objects: number): number => Math.max(0, objects / objectsOfRequest - shares.query);

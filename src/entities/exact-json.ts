import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { isExact, longestNumber, numberTooLong } from '#json/json.js';
import { exactOf, type PlainLine } from '#json/plain.js';

/**
 * JSON as plain values. Numbers that a double cannot hold are decimal text, and lines that are not JSON are faults in
 * their place.
 */
export type ExactJson = PlainLine | PlainLine[];

type Variables = Record<string, unknown> | null | undefined;

/** A scalar for JSON that is stored rather than queried. It has no positions and is parsed as fast as possible. */
export const ExactJSON: GraphQLScalarType<ExactJson, unknown> = new GraphQLScalarType({
  name: 'ExactJSON',
  description: 'Any JSON value. Numbers that a double cannot hold keep all their digits.',
  parseValue: (value) => wholeOf(value) as ExactJson,
  parseLiteral: (node, variables) => recordsOf(node, variables) as ExactJson,
  serialize: (value) => value,
});

/**
 * Returns the value of a variable with all digits. They were kept for an object or an array; for a variable that is
 * itself a number, they are lost.
 */
const wholeOf = (value: unknown): unknown => {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new GraphQLError('A number beyond 2^53 - 1 that is a variable of its own loses digits; send it as text.');
  }
  return exactOf(value);
};

/**
 * Reads one record or an array of records from a literal. A numeric `ts` always becomes a number, the nearest double. A
 * `ts` that is text was therefore sent as text.
 */
const recordsOf = (node: ValueNode, variables: Variables): unknown =>
  node.kind === Kind.LIST ? node.values.map((value) => recordOf(value, variables)) : recordOf(node, variables);

const recordOf = (node: ValueNode, variables: Variables): unknown => {
  const record = literalOf(node, variables) ?? null;
  const ts = node.kind === Kind.OBJECT ? node.fields.find(({ name }) => name.value === 'ts')?.value : undefined;
  const isNumber = ts?.kind === Kind.INT || ts?.kind === Kind.FLOAT;
  return isNumber && Number.isFinite(Number(ts.value)) ? { ...(record as object), ts: Number(ts.value) } : record;
};

/** Works like `valueFromASTUntyped`, but keeps the digits of numbers. */
const literalOf = (node: ValueNode, variables: Variables): unknown => {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      if (node.value.length > longestNumber) throw new GraphQLError(`${numberTooLong}.`);
      return isExact(node.value) ? Number(node.value) : node.value;
    case Kind.LIST:
      return node.values.map((value) => literalOf(value, variables) ?? null);
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields
          .map(({ name, value }) => [name.value, literalOf(value, variables)] as const)
          .filter(([, value]) => value !== undefined),
      );
    case Kind.VARIABLE:
      return exactOf(variables?.[node.name.value]);
    default:
      return valueFromASTUntyped(node);
  }
};

import { GraphQLScalarType, type ValueNode, valueFromASTUntyped } from 'graphql';
import { type LocatedJson, locate, toPlain } from '#json/json.js';

/**
 * A scalar for JSON that keeps positions and the exact text of numbers. REST passes in nodes of `parseJson` unchanged;
 * GraphQL clients send plain values, whose positions are unknown.
 */
export const LocatedJSON: GraphQLScalarType<LocatedJson, unknown> = new GraphQLScalarType({
  name: 'LocatedJSON',
  description: 'Any JSON value. If it was sent as JSON text, its faults are reported with line and column.',
  parseValue: locate,
  parseLiteral: (node: ValueNode, variables) => locate(structuredClone(valueFromASTUntyped(node, variables))),
  serialize: (value) => toPlain(locate(value)),
});

import { GraphQLScalarType, type ValueNode, valueFromASTUntyped } from 'graphql';
import { type LocatedJson, locate, toPlain } from '../json.js';

/**
 * JSON whose positions and exact number text survive: REST hands in nodes of `parseJson` as they are; what
 * GraphQL clients send arrives as plain values, whose positions are not known.
 */
export const LocatedJSON: GraphQLScalarType<LocatedJson, unknown> = new GraphQLScalarType({
  name: 'LocatedJSON',
  description: 'Any JSON value. Faults in it are reported with line and column where it came as JSON text.',
  parseValue: locate,
  parseLiteral: (node: ValueNode, variables) => locate(structuredClone(valueFromASTUntyped(node, variables))),
  serialize: (value) => toPlain(locate(value)),
});

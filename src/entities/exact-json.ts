import { GraphQLScalarType, valueFromASTUntyped } from 'graphql';
import type { PlainLine } from '../json-plain.js';

/** JSON as plain values, what a double cannot hold as decimal text; lines that are not JSON are faults in their place. */
export type ExactJson = PlainLine | PlainLine[];

/** JSON that is stored, not asked about: without positions, read as fast as can be. */
export const ExactJSON: GraphQLScalarType<ExactJson, unknown> = new GraphQLScalarType({
  name: 'ExactJSON',
  description:
    'Any JSON value. Where it comes as JSON text, numbers that a double cannot hold stay as they were written.',
  parseValue: (value) => value as ExactJson,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables) as ExactJson,
  serialize: (value) => value,
});

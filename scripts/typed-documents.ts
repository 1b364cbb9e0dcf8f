import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { type GraphQLSchema, parse, printSchema } from 'graphql';

/** A named operation. */
export interface NamedOperation {
  readonly name: string;
  readonly text: string;
}

/** Returns the named operations in a guide's GraphQL code blocks. */
export const documentsIn = (markdown: string): NamedOperation[] =>
  [...markdown.matchAll(/```graphql\n((?:query|mutation) (\w+)[^`]+)```/g)].map(([, text, name]) => ({
    name: name!,
    text: text!,
  }));

/** Types of scalars in JSON. */
const scalars = {
  DateTimeISO: 'string',
  EmailAddress: 'string',
  ExactJSON: 'unknown',
  ID: 'string',
  JSON: 'unknown',
  JSONObject: 'Record<string, unknown>',
  LocatedJSON: 'unknown',
  Serial: 'string',
  URL: 'string',
  UnixTime: 'number',
};

/**
 * Generates TypeScript for operations. Each operation is a string whose type carries the types of its variables and its
 * answer.
 */
export const typedDocuments = (schema: GraphQLSchema, operations: readonly NamedOperation[]): Promise<string> => {
  const config = { scalars, documentMode: 'string', useTypeImports: true, enumsAsTypes: true };
  return codegen({
    filename: 'documents.ts',
    schema: parse(printSchema(schema)),
    documents: operations.map(({ name, text }) => ({ location: name, document: parse(text) })),
    config,
    plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
    pluginMap: { typescriptOperations, typedDocumentNode },
  });
};

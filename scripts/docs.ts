import 'reflect-metadata';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { type ClassType, getMetadataStorage, type NonEmptyArray } from 'type-graphql';
import { basePath } from '#app/surfaces.js';
import { createOpenApi } from '#rest/openapi/document.js';
import { buildGraph, buildGraphForRest } from '#schema/build.js';
import { notice } from './notice.js';
import { documentsIn, typedDocuments } from './typed-documents.js';

/* npm run docs: writes the documents that are generated from the code. With --check it only lists those that are
   stale.
   Importing `app` imports every resolver, and TypeGraphQL knows all imported resolvers. */

const resolvers = getMetadataStorage().resolverClasses.map(
  ({ target }) => target,
) as unknown as NonEmptyArray<ClassType>;
const options = { resolvers, container: { get: () => undefined } };

const graph = buildGraph(options);
const guide = readFileSync('docs/graphql.md', 'utf8');

const documents: Readonly<Record<string, string>> = {
  'docs/openapi.json': `${JSON.stringify(createOpenApi(buildGraphForRest(options), basePath), null, 2)}\n`,
  'docs/schema.graphql': `${printSchema(lexicographicSortSchema(graph))}\n`,
  'examples/dashboard/documents.ts': await typedDocuments(graph, documentsIn(guide)),
  'console/src/api/documents.ts': await typedDocuments(graph, consoleDocuments()),
  'NOTICE.md': notice(),
};

/** Reads the console's operations, which are in files beside its screens. */
function consoleDocuments() {
  const names = globSync('console/src/**/*.graphql').sort();
  return names.map((name) => ({ name, text: readFileSync(name, 'utf8') }));
}

const stale = Object.entries(documents).filter(([path, text]) => !isWritten(path, text));
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is stale: run npm run docs and commit it.`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of stale) writeFileSync(path, text);
}

function isWritten(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'utf8') === text;
  } catch {
    return false;
  }
}

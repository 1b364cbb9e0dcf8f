import { type GraphQLNamedType, type GraphQLSchema, getNamedType, isIntrospectionType, isObjectType } from 'graphql';
import type { JsonSchema } from '#schema/rules.js';
import { draftOpenApi, restSchema } from '../handler.js';
import { pageItems } from '../response.js';
import { routes } from '../routes.js';
import { errorComponent, failureComponents, headers } from './failure.js';
import { freeComponents } from './free-form.js';
import { newHookComponents } from './new-hook.js';
import { describeOperation } from './operation.js';
import { componentOf } from './type-schema.js';

/** An OpenAPI document (version 3.1). */
export type OpenApiDocument = JsonSchema & {
  paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  components: Readonly<Record<string, JsonSchema>>;
};

const chapterNotes: Readonly<Record<string, string>> = {
  Accounts: "The caller's organization account, and the users of the platform.",
  'Organization and members': 'The organization (tenant) and its members.',
  Teams: 'Groups of members, and the applications they may read or write.',
  Products: 'Device types with typed variables.',
  Devices: 'Devices, which send records.',
  Applications: 'Groups of devices, whose records are searched together.',
  'Application hooks': 'Addresses that are called with every record, and the history of these calls.',
  'Hook additions': 'Settings, signing secrets, delivery ledger and redelivery of hooks.',
  Ingestion: "Ingestion of records, in the platform's own JSON or as network servers send them.",
  Import:
    'Import of files: devices as CSV, past records as CSV, NDJSON or Parquet. Files are checked first and read by jobs.',
  Export: 'Records, aggregations, devices and deliveries as files.',
  'Device tokens': 'Tokens that may post the records of one device and do nothing else.',
  Provisioning: 'Tokens with which devices of a product register themselves.',
  Usage: 'Usage of an organization by day, and its quotas.',
};

/**
 * Creates the OpenAPI document. SOFA says which operation is at which path. The schema, the rules of the arguments and
 * the route table correct what SOFA says about the place and type of arguments and about answers.
 * @param graph the GraphQL schema with the types that only REST shows.
 * @param server base address of the operations.
 */
export const createOpenApi = (graph: GraphQLSchema, server: string): OpenApiDocument => {
  const schema = restSchema(graph);
  const components = typeComponents(schema);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const draft of draftOpenApi(schema)) {
    const { verb, alias, path: template } = draft.route;
    const path = template.replaceAll(/:(\w+)/g, '{$1}');
    for (const each of alias === undefined ? [verb] : [verb, alias]) {
      paths[path] = { ...paths[path], [each.toLowerCase()]: describeOperation(draft, each) };
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Device Data Platform',
      version: 'v1',
      description: 'Devices, the records that they send, search over records, and a webhook call for each record.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    security: [{ token: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name, description: chapterNotes[name] ?? name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token of the organization (`ddp_...`).' },
      },
      schemas: { ...components, ...newHookComponents(components), ...freeComponents, Error: errorComponent },
      responses: failureComponents,
      headers,
    },
  };
};

/** Returns the component of every type that is referred to. Root types and pages have no component on REST. */
const typeComponents = (schema: GraphQLSchema): JsonSchema => {
  const roots = new Set([schema.getQueryType(), schema.getMutationType()]);
  // Types that the graph returns in place of a file.
  const links = new Set<GraphQLNamedType>(
    draftOpenApi(schema).flatMap(({ route, field }) => (route.file ? getNamedType(field.type) : [])),
  );
  const isShown = (type: GraphQLNamedType) =>
    !isIntrospectionType(type) &&
    !links.has(type) &&
    !(isObjectType(type) && (roots.has(type) || pageItems(type) !== undefined));
  const types = Object.values(schema.getTypeMap()).filter(isShown);
  return Object.fromEntries(
    types.map((type) => [type.name, componentOf(type)] as const).filter(([, component]) => component !== undefined),
  );
};

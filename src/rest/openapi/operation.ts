import {
  type GraphQLArgument,
  type GraphQLField,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import type { ErrorCode } from '#common/errors.js';
import { argumentsClass } from '#schema/arguments.js';
import { type JsonSchema, rulesOf } from '#schema/rules.js';
import { type ArgumentSources, argumentSourcesOf } from '../argument-source.js';
import type { Draft } from '../handler.js';
import { headerName } from '../header.js';
import { readOnlyFields } from '../read-only-fields.js';
import { pageItems } from '../response.js';
import type { Route, Verb } from '../routes.js';
import { bodyExamples } from './alert-example.js';
import { commandBodies } from './command-example.js';
import { argumentExamples, typeExamples } from './example.js';
import { commonHeaders, failures, headerRefs } from './failure.js';
import { fileContent, freeBodies, freeParameters } from './free-form.js';
import { newHookBody } from './new-hook.js';
import { placeBodies } from './place-example.js';
import { type BodyField, bodySchema, isRequired, schemaOf, valueSchema } from './type-schema.js';

type Field = GraphQLField<unknown, unknown>;

/**
 * Corrects what SOFA says about an operation: each argument gets its place and rules, each status its schema, and
 * examples are added.
 */
export const describeOperation = ({ route, field, operationId, summary = '' }: Draft, verb: Verb): JsonSchema => {
  const places = argumentSourcesOf(route, field.args);
  // GET may carry a body too, but browsers and most clients cannot send one. The document describes the body at the
  // other verb.
  const body = hasAlias(route, verb)
    ? undefined
    : (freeBodies[route.operation] ?? fieldsBody(route, field, places.body));
  const name = operationId?.replace(/_(query|mutation)$/, '') ?? route.operation;
  return {
    operationId: verb === route.alias ? `${name}By${verb[0]}${verb.slice(1).toLowerCase()}` : name,
    tags: [route.tag],
    summary: summary.split(/[.:](?:\s|$)/)[0],
    description: summary,
    ...parameters(route, field, places, verb),
    ...(body !== undefined && { requestBody: body }),
    responses: { ...success(route, field), ...failures(codesOf(route, body !== undefined || hasAlias(route, verb))) },
  };
};

/** Whether the route has another verb that does the same as this one. */
const hasAlias = (route: Route, verb: Verb): boolean => route.alias !== undefined && verb !== route.alias;

const parameters = (route: Route, field: Field, places: ArgumentSources, verb: Verb): JsonSchema => {
  const list = [
    ...places.path.map((arg) => parameter(route, field, arg, 'path')),
    ...places.query.map((arg) => parameter(route, field, arg, 'query')),
    ...places.headers.map((arg) => ({
      ...parameter(route, field, arg, 'header'),
      name: headerName(route.headers?.[arg.name] ?? arg.name),
    })),
    // The alias exists for clients that send a body, so it has no such parameters.
    ...(verb === route.alias ? [] : (freeParameters[route.operation] ?? [])),
  ];
  return list.length === 0 ? {} : { parameters: list };
};

const parameter = (route: Route, field: Field, arg: GraphQLArgument, place: string): JsonSchema => {
  const { description, ...schema } = { ...valueSchema(withRules(route, arg)), ...jsonText(arg) };
  return {
    name: arg.name,
    in: place,
    ...(description !== undefined && { description }),
    ...((place === 'path' || isRequired(arg)) && { required: true }),
    // Swagger UI sends the example of a parameter as its value. An optional parameter has its example in the schema
    // instead, so that a first try is not filtered by the example's value.
    schema: place === 'path' || isRequired(arg) ? schema : { ...schema, ...schemaExampleOf(field, arg) },
    ...((place === 'path' || isRequired(arg)) && exampleOf(field, arg)),
    ...(isListType(arg.type) && { style: 'form', explode: true }),
  };
};

/** Describes JSON in the query string as the text that is sent. */
const jsonText = ({ type }: GraphQLArgument): JsonSchema =>
  getNamedType(type).name === 'LocatedJSON' ? { type: 'string', contentMediaType: 'application/json' } : {};

const withRules = ({ operation }: Route, arg: GraphQLArgument): BodyField => {
  const type = argumentsClass(operation);
  return { ...arg, rules: type && rulesOf(type, arg.name) };
};

const exampleOf = ({ type }: Field, { name }: GraphQLArgument): JsonSchema => {
  const example = argumentExamples[name] ?? typeExamples[getNamedType(type).name]?.[name];
  return example === undefined ? {} : { example };
};

const schemaExampleOf = (field: Field, arg: GraphQLArgument): JsonSchema => {
  const { example } = exampleOf(field, arg);
  return example === undefined ? {} : { examples: [example] };
};

/** Examples of bodies that are not made of their fields, by operation. */
const bodies: Readonly<Record<string, object>> = { ...bodyExamples, ...placeBodies, ...commandBodies };

const fieldsBody = (route: Route, field: Field, args: readonly GraphQLArgument[]): JsonSchema | undefined => {
  if (args.length === 0) return undefined;
  const fields = args.map((arg) => withRules(route, arg));
  const answer = typeExamples[getNamedType(field.type).name] ?? {};
  const shown = args
    .map(({ name }) => [name, argumentExamples[name] ?? answer[name]] as const)
    .filter(([, value]) => value !== undefined);
  const example = bodies[route.operation] ?? Object.fromEntries(shown);
  const isWhole = fields.every((each) => !isRequired(each) || each.name in example);
  return {
    required: fields.some(isRequired),
    content: {
      'application/json': {
        schema: withReadOnly(schemaOfBody(route, fields), readOnlyFields(route, field)),
        ...(isWhole && { example }),
      },
    },
  };
};

/** Adds the fields that are accepted with any value and ignored. */
const withReadOnly = (schema: JsonSchema, names: readonly string[]): JsonSchema => ({
  ...schema,
  properties: {
    ...(schema['properties'] as JsonSchema),
    ...Object.fromEntries(names.map((name) => [name, readOnly])),
  },
});

const readOnly = { readOnly: true, description: 'A read-only field. It is accepted in a body and ignored.' };

const schemaOfBody = ({ operation }: Route, fields: readonly BodyField[]): JsonSchema =>
  operation === 'createApplicationHook' ? newHookBody(bodySchema(fields)) : bodySchema(fields);

const success = (route: Route, field: Field): JsonSchema => {
  if (route.status === 204)
    return { ...(route.mayAnswer && sigfoxAnswer), 204: { description: 'Done.', headers: headerRefs(commonHeaders) } };
  if (route.file)
    return { 200: { description: 'The file.', headers: headerRefs(commonHeaders), content: fileContent } };
  const items = pageItems(field.type);
  const type = getNamedType(items ?? field.type);
  const example = typeExamples[type.name];
  const schema = schemaOf(items ?? field.type);
  const isList = items !== undefined || isListType(getNullableType(field.type));
  const shown = isList && example ? [example] : example;
  return {
    200: {
      description: (isObjectType(type) && type.description) || 'Done.',
      headers: headerRefs([
        ...commonHeaders,
        ...(items ? ['X-Total-Count', 'Link'] : []),
        ...(route.operation === 'pingApplicationHook' ? ['X-Delivery-Error'] : []),
      ]),
      content: { 'application/json': { schema, ...(shown !== undefined && { example: shown }) } },
    },
  };
};

/** Answer to a callback of Sigfox for which a command waits. */
const sigfoxAnswer: JsonSchema = {
  200: {
    description: 'The downlink for Sigfox, by the identifier of the device.',
    headers: headerRefs(commonHeaders),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['downlinkData'],
            properties: { downlinkData: { type: 'string', description: 'Eight bytes in hexadecimal.' } },
          },
        },
        example: { '1A2345': { downlinkData: '0441ac0000000000' } },
      },
    },
  },
};

/** Operations that may be refused with 409. */
export const conflicting: ReadonlySet<string> = new Set([
  'provisionDevice',
  'updateAccount',
  'updateOrganization',
  'setOrganizationMember',
  'removeOrganizationMember',
  'deleteProduct',
  'registerDevice',
  'deleteDevice',
  'createSite',
  'deleteSite',
  'createNetworkServer',
  'updateNetworkServer',
  'confirmNetworkServer',
  'createApplicationHook',
  'createAlertRule',
  'sendCommand',
  'importDevices',
  'importRecords',
  'applyFileImport',
]);

const codesOf = (route: Route, hasBody: boolean): ErrorCode[] => [
  'MALFORMED_REQUEST',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  ...(route.path.includes(':') ? (['NOT_FOUND'] as const) : []),
  ...(conflicting.has(route.operation) ? (['CONFLICT'] as const) : []),
  // An answer can be too large as well, not only a body.
  'TOO_LARGE',
  ...(hasBody ? (['UNSUPPORTED_MEDIA_TYPE'] as const) : []),
  'VALIDATION_FAILED',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
  'TIMEOUT',
];

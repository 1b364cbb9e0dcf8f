import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** An answer of the service, not yet parsed. */
export interface RawAnswer {
  method: string;
  /** Path below the base path, without the query string. */
  path: string;
  status: number;
  headers: Headers;
  body: string;
}

interface Operation {
  responses: Record<string, { $ref?: string; content?: Record<string, unknown> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, object> };
}

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: unknown;
}

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
const places = Object.entries(document.paths).map(([path, verbs]) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`),
  verbs,
}));
const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true });
formats.default(ajv);
ajv.addSchema(closed(document), 'openapi');
const validators = new Map<string, ValidateFunction>();

/** Forbids fields that the document does not list: an additional field in an answer is as wrong as a missing one. */
function closed(all: Document): object {
  const copy = structuredClone(all);
  for (const schema of Object.values(copy.components.schemas)) close(schema);
  return copy;
}

function close(schema: Schema): void {
  if (schema.properties && schema.additionalProperties === undefined) schema.additionalProperties = false;
  for (const inner of Object.values(schema.properties ?? {})) close(inner);
  if (schema.items) close(schema.items);
}

/** Throws when the committed OpenAPI document does not allow an answer. */
export function checkAnswer(answer: RawAnswer): void {
  const fault = faultOf(answer);
  if (fault === undefined) return;
  const { method, path, status, body } = answer;
  throw new Error(`${method} ${path} answered ${status}, which docs/openapi.json does not allow: ${fault}\n${body}`);
}

function faultOf({ method, path, status, headers, body }: RawAnswer): string | undefined {
  if (!headers.get('x-request-id')) return 'there is no X-Request-Id';
  const isHead = method === 'HEAD';
  const found = places.filter(({ pattern }) => pattern.test(path));
  const verb = isHead ? 'get' : method.toLowerCase();
  const place = found.find(({ verbs }) => verbs[verb]);
  if (place === undefined) return unlisted(status, found.length > 0, method, headers, body);
  const pointer = `/paths/${escape(place.path)}/${verb}/responses/${status}`;
  const listed = place.verbs[verb]!.responses[status];
  if (listed === undefined) return `the status is not listed at ${pointer}`;
  if (status === 204) {
    const empty = body === '' && !headers.has('content-length') && !headers.has('content-type');
    return empty ? undefined : 'a 204 has neither body nor content headers';
  }
  const [type = ''] = headers.get('content-type')?.split(';', 1) ?? [];
  // The document does not describe the content of a file.
  if (type !== 'application/json' && listed.content?.[type] !== undefined) return undefined;
  if (!headers.get('content-type')?.startsWith('application/json')) return 'the content type is not JSON';
  if (isHead) return body === '' ? undefined : 'HEAD has a body';
  return schemaFault(listed.$ref ? listed.$ref.slice(1) : pointer, body);
}

function unlisted(status: number, known: boolean, method: string, headers: Headers, body: string): string | undefined {
  if (method === 'OPTIONS') return headers.has('allow') ? undefined : 'OPTIONS has no Allow';
  const wanted = known ? 405 : 404;
  if (status !== wanted && status !== 400) return `a path or verb that is not listed is ${wanted}`;
  if (status === 405 && !headers.has('allow')) return '405 has no Allow';
  return method === 'HEAD' ? undefined : schemaFault('/components/schemas/Error', body);
}

function schemaFault(pointer: string, body: string): string | undefined {
  const at = pointer.startsWith('/components/schemas') ? pointer : `${pointer}/content/application~1json/schema`;
  const validate = validators.get(at) ?? ajv.compile({ $ref: `openapi#${encodeURI(at)}` });
  validators.set(at, validate);
  return validate(JSON.parse(body)) ? undefined : `${at}: ${ajv.errorsText(validate.errors)}`;
}

const escape = (path: string) => path.replaceAll('/', '~1');

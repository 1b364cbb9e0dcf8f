import type { Request } from 'express';
import {
  type GraphQLArgument,
  type GraphQLField,
  getNamedType,
  getNullableType,
  isListType,
  isNullableType,
  isRequiredArgument,
} from 'graphql';
import { type Fault, invalid, malformed } from '#common/errors.js';
import { type BodyRules, type BodySender, orMalformed, readBody } from '#http/body.js';
import { below, fault, type InputReader, isRecord, jsonReader, textReader } from '#http/input.js';
import { listName, readQueryString } from '#http/query-string.js';
import { readStoredBody } from '#http/stored-body.js';
import { JsonObject, type LocatedJson, toPlain } from '#json/json.js';
import { parseJson } from '#json/reader.js';
import { argumentSourcesOf } from './argument-source.js';
import { openFileBody } from './file-body.js';
import { readOnlyFields } from './read-only-fields.js';
import type { Route } from './routes.js';
import { hasParameters, readSearchString } from './search-string.js';

/** The arguments of one call, by name, in the form of GraphQL variables. */
export type ArgumentValues = Record<string, unknown>;

/** Reads the arguments of an operation from a request. */
export type Bind = (request: Request, sender: BodySender) => Promise<ArgumentValues>;

/** Returns faults against the arguments' own rules (lengths, ranges, ...), for the arguments that could be read. */
export type ArgumentCheck = (operation: string, values: ArgumentValues) => readonly Fault[];

type Add = (values: ArgumentValues, faults: Fault[]) => void;
type ReadBody = (request: Request, sender: BodySender) => Promise<Add>;

/**
 * Creates the reader of one route's requests. Each argument has one place, which depends on the verb, and takes its
 * JSON type only from there. Faults of all places are reported together.
 */
export const createBind = (route: Route, field: GraphQLField<unknown, unknown>, check: ArgumentCheck): Bind => {
  const places = argumentSourcesOf(route, field.args);
  const readBody = bodyBinder(route, places.body, readOnlyFields(route, field));
  const bindPath = pathBinder(places.path);
  const bindHeaders = headerBinder(route.headers ?? {});
  const bindQuery = route.body === 'located' ? bindNoQuery : queryBinder(places.query);
  // They are added here, because the operations that SOFA makes do not declare them.
  const defaults = Object.fromEntries(
    field.args
      .filter(({ defaultValue }) => defaultValue !== undefined)
      .map(({ name, defaultValue }) => [name, defaultValue]),
  );
  return async (request, sender) => {
    const addBody = await readBody?.(request, sender);
    const values: ArgumentValues = { ...defaults };
    const faults: Fault[] = [];
    bindPath(request, values, faults);
    bindHeaders(request, values);
    bindQuery(request, values, faults);
    addBody?.(values, faults);
    // The graph checks the rules of arguments. Here they are checked for files, which the graph does not serve, and to
    // report their faults together with those of reading.
    if (faults.length === 0 && !route.file) return values;
    const all = merge(faults, check(route.operation, values));
    if (all.length > 0) throw invalid(all);
    return values;
  };
};

const bindNoQuery = () => {};

const mebibyte = 2 ** 20;

/** Creates the reader of the body. Undefined for a route without a body; a body that arrives there is ignored. */
const bodyBinder = (
  { body, verb, ingest }: Route,
  args: readonly GraphQLArgument[],
  readOnly: readonly string[],
): ReadBody | undefined => {
  if (typeof body === 'object' && 'files' in body) {
    const { argument, files } = body;
    return async (request, { hold }) => {
      const file = openFileBody(request, files, hold);
      return (values) => {
        values[argument] = file;
      };
    };
  }
  if (typeof body === 'object') {
    const { argument, lines = false, otherTypes } = body;
    return wholeBody(argument, { bytes: (ingest ? 10 : 1) * mebibyte, lines, otherTypes });
  }
  if (body === 'located') return locatedBody(args);
  return args.length === 0 ? undefined : fieldsBody(args, { nullClears: verb === 'PUT', readOnly });
};

const pathBinder = (args: readonly GraphQLArgument[]) => {
  const readers = args.map(({ name, type }) => ({ name, read: textReader(type) }));
  return ({ params }: Request, values: ArgumentValues, faults: Fault[]) => {
    for (const { name, read } of readers) values[name] = read([params[name] as string], name, faults);
  };
};

const headerBinder = (headers: Readonly<Record<string, string>>) => {
  const names = Object.entries(headers);
  return (request: Request, values: ArgumentValues) => {
    for (const [name, header] of names) {
      const value = request.headers[header];
      if (typeof value === 'string') values[name] = value;
    }
  };
};

const queryBinder = (args: readonly GraphQLArgument[]) => {
  const readers = new Map(
    args.map((arg) => [
      arg.name,
      { read: textReader(arg.type), list: isListType(getNullableType(arg.type)), required: isRequiredArgument(arg) },
    ]),
  );
  return (request: Request, values: ArgumentValues, faults: Fault[]) => {
    const parameters = readQueryString(request.url);
    const given = new Map<string, string[]>();
    for (const [spelling, texts] of parameters) {
      const listed = listName(spelling);
      const name = readers.get(listed)?.list ? listed : spelling;
      if (readers.has(name)) given.set(name, [...(given.get(name) ?? []), ...texts]);
      else fault(faults, below('', spelling), 'is not a known parameter');
    }
    for (const [name, { read, required }] of readers) {
      const texts = given.get(name);
      if (texts !== undefined) values[name] = read(texts, name, faults);
      else if (required) fault(faults, name, 'is required');
    }
  };
};

interface FieldReader {
  read: InputReader;
  required: boolean;
  /** Whether the operation accepts `null`, which clears the field. Otherwise `null` leaves the default. */
  nullable: boolean;
}

const fieldReaders = (args: readonly GraphQLArgument[]): ReadonlyMap<string, FieldReader> =>
  new Map(
    args.map((arg) => [
      arg.name,
      { read: jsonReader(arg.type), required: isRequiredArgument(arg), nullable: isNullableType(arg.type) },
    ]),
  );

interface BodyOptions {
  /** Whether `null` is passed on, to clear the field (on PUT). Otherwise `null` counts as absent. */
  nullClears: boolean;
  /** Fields that are accepted and ignored. */
  readOnly: readonly string[];
}

/** Reads the fields of a JSON object. */
const fieldsBody = (args: readonly GraphQLArgument[], { nullClears, readOnly }: BodyOptions): ReadBody => {
  const readers = fieldReaders(args);
  const ignored = new Set(readOnly);
  return async (request, sender) => {
    const { text } = await readBody(request, { bytes: mebibyte, lines: false }, sender);
    const body = text === '' ? {} : parseObject(text);
    return (values, faults) => {
      for (const [key, value] of Object.entries(body)) {
        const reader = readers.get(key);
        if (reader === undefined) {
          if (!ignored.has(key)) fault(faults, below('', key), 'is not a known field');
        } else if (value !== null) values[key] = reader.read(value, key, faults);
        else if (nullClears && reader.nullable) values[key] = null;
      }
      for (const [name, { required }] of readers) {
        if (required && (!Object.hasOwn(body, name) || body[name] === null)) fault(faults, name, 'is required');
      }
    };
  };
};

const parseObject = (text: string): Record<string, unknown> => {
  const body = orMalformed(() => JSON.parse(text) as unknown);
  if (!isRecord(body)) throw malformed('The body must be a JSON object.');
  return body;
};

const severalValues =
  'Send lines of JSON with the header "Content-Type: application/x-ndjson", or the records in one array.';

/** Reads the whole body as one argument. The body is stored, so positions in its text are not kept. */
const wholeBody =
  (argument: string, rules: BodyRules): ReadBody =>
  async (request, sender) => {
    const { text, lines } = await readBody(request, rules, sender);
    if (text === '') throw malformed('Send a body.');
    const body = await readStoredBody(text, { lines, records: rules.lines, severalValues }, sender.organizationId);
    return (values) => {
      values[argument] = body;
    };
  };

/** Reads the fields of a JSON object with their positions, from the body or, without one, from the query string. */
const locatedBody = (args: readonly GraphQLArgument[]): ReadBody => {
  const readers = fieldReaders(args);
  const nodes = new Set(args.filter(({ type }) => getNamedType(type).name === 'LocatedJSON').map(({ name }) => name));
  return async (request, sender) => {
    const { text } = await readBody(request, { bytes: mebibyte, lines: false }, sender);
    const both = text !== '' && hasParameters(request.url);
    const body = text === '' ? undefined : parseLocatedObject(text);
    return (values, faults) => {
      if (both) fault(faults, '', 'Send the search in the body or in the query string, not in both.');
      const members = body ?? readSearchString(request.url, faults);
      for (const { key, value } of members) {
        const reader = readers.get(key);
        if (reader === undefined) fault(faults, below('', key), 'is not a known field');
        else if (!isNull(value))
          values[key] = nodes.has(key)
            ? value
            : reader.read(
                orMalformed(() => toPlain(value)),
                key,
                faults,
              );
      }
      for (const [name, { required }] of readers) {
        const present = members.some(({ key, value }) => key === name && !isNull(value));
        if (required && !present && !faults.some(({ path }) => path === name)) fault(faults, name, 'is required');
      }
    };
  };
};

const isNull = (node: LocatedJson) => node.kind === 'literal' && node.value === null;

const parseLocatedObject = (text: string): JsonObject['members'] => {
  const body = orMalformed(() => parseJson(text));
  if (!(body instanceof JsonObject)) throw malformed('The body must be a JSON object.');
  return body.members;
};

/**
 * Combines the faults of reading with the faults of the rules. An argument that could not be read whole has only the
 * former.
 */
const merge = (read: readonly Fault[], checked: readonly Fault[]): Fault[] => {
  const isRead = ({ path }: Fault) => !read.some((fault) => fault.path === path || fault.path.startsWith(`${path}.`));
  return [...read, ...checked.filter(isRead)].slice(0, maxFaults);
};

const maxFaults = 100;

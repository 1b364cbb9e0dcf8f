import type { Response } from 'express';
import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Hold } from '#http/in-flight.js';
import { toBody } from '#json/json.js';
import type { ArgumentValues } from './request.js';
import type { Route } from './routes.js';

/**
 * Writes the result of an operation, head and body at once.
 * @throws what `hold` throws for the bytes of the body.
 */
export type WriteAnswer = (response: Response, value: unknown, request: PageRequest, hold: Hold) => void;

/** A page as list operations return it. `totalCount` is absent when not all items were counted. */
interface Page {
  items: readonly unknown[];
  totalCount?: number | null;
}

/**
 * Creates the writer of one route's answers, by the operation's type: no body for 204, a bare array with count and
 * links for a page, JSON for every other value.
 */
export const createAnswer = (route: Route, type: GraphQLOutputType): WriteAnswer => {
  if (route.status === 204)
    return (response, value, _request, hold) => {
      if (route.mayAnswer === true && typeof value === 'object' && value !== null) sendJson(response, value, hold);
      else response.writeHead(204).end();
    };
  const leaveOutAbsent = absentRemover(type);
  if (pageItems(type) === undefined) {
    return (response, value, _request, hold) => {
      leaveOutAbsent(value);
      sendJson(response, value, hold);
    };
  }
  return (response, value, request, hold) => {
    const { items, totalCount } = value as Page;
    leaveOutAbsent(value);
    if (typeof totalCount === 'number') response.setHeader('X-Total-Count', totalCount);
    const links = pageLinks(request, items.length, totalCount ?? undefined);
    if (links !== undefined) response.setHeader('Link', links);
    sendJson(response, items, hold);
  };
};

const sendJson = (response: Response, value: unknown, hold: Hold): void => {
  const body = toBody(JSON.stringify(value));
  const bytes = Buffer.byteLength(body);
  hold(bytes);
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': bytes });
  response.end(body);
};

/** Returns the list type of a page's items; undefined for a type that is not a page. */
export const pageItems = (type: GraphQLOutputType): GraphQLOutputType | undefined => {
  const bare = getNullableType(type);
  const { items, totalCount } = isObjectType(bare) ? bare.getFields() : {};
  return totalCount && items?.type;
};

type Remover = (value: unknown) => void;

const removeNothing: Remover = () => {};

/**
 * Creates a function that replaces the `null` of every field without a value by `undefined`, which JSON leaves out. It
 * follows the type, so a `null` inside a JSON scalar stays. The function modifies the value that it is given.
 */
export const absentRemover = (type: GraphQLOutputType, cached = new Map<GraphQLObjectType, Remover>()): Remover => {
  const bare = getNullableType(type);
  if (isListType(bare)) {
    const remove = absentRemover(bare.ofType, cached);
    return remove === removeNothing ? removeNothing : (value) => (value as unknown[] | null)?.forEach(remove);
  }
  return isObjectType(bare) ? (cached.get(bare) ?? objectRemover(bare, cached)) : removeNothing;
};

const objectRemover = (type: GraphQLObjectType, cached: Map<GraphQLObjectType, Remover>): Remover => {
  const nullable: string[] = [];
  const nested: [name: string, remove: Remover][] = [];
  const remove: Remover = (value) => {
    if (value === null || value === undefined) return;
    const fields = value as Record<string, unknown>;
    for (const name of nullable) if (fields[name] === null) fields[name] = undefined;
    for (const [name, removeInside] of nested) removeInside(fields[name]);
  };
  cached.set(type, remove);
  for (const field of Object.values(type.getFields())) {
    if (!isNonNullType(field.type) && field.extensions['nullIsValue'] !== true) nullable.push(field.name);
    const removeInside = absentRemover(field.type, cached);
    if (removeInside !== removeNothing) nested.push([field.name, removeInside]);
  }
  return remove;
};

/** The parts of a request that links to other pages depend on: its absolute address and the arguments read from it. */
interface PageRequest {
  address: () => string;
  values: ArgumentValues;
}

/** Maximum length of the `Link` header, in characters. */
const maxLength = 4096;
const defaults = { page: 1, limit: 10 };

/**
 * Returns the `Link` header of a page (RFC 8288): absolute addresses of the first, previous, next and last page, with
 * all other parameters unchanged. Undefined when the header would exceed 4 kB.
 * @param total number of items on all pages; undefined when they were not counted, and then no last page is linked.
 */
const pageLinks = ({ address, values }: PageRequest, count: number, total: number | undefined): string | undefined => {
  const { page, limit } = { ...defaults, ...values };
  const last = total === undefined ? undefined : Math.max(1, Math.ceil(total / limit));
  const hasNext = last === undefined ? count === limit : page < last;
  const pages: Record<string, number | undefined> = {
    first: 1,
    prev: page > 1 ? Math.min(page - 1, last ?? page) : undefined,
    next: hasNext ? page + 1 : undefined,
    last,
  };
  const prefix = withoutPage(address(), limit);
  if (prefix.length > maxLength) return undefined;
  const links = Object.entries(pages)
    .filter(([, number]) => number !== undefined)
    .map(([relation, number]) => `<${prefix}${number}>; rel="${relation}"`)
    .join(', ');
  return links.length > maxLength ? undefined : links;
};

/** Returns the address of a page up to `page=`, the last parameter, without the number. */
const withoutPage = (address: string, limit: number): string => {
  const [path, query] = cut(address, '?');
  const others = query.split('&').filter((pair) => pair !== '' && !isPaging(pair));
  const parameters = [...others, `limit=${limit}`, 'page='].join('&');
  return `${path}?${parameters}`.replace(/[<>"\s]/g, encodeURIComponent);
};

const isPaging = (pair: string) => ['page', 'limit'].includes(decodeURIComponent(cut(pair, '=')[0]));

const cut = (text: string, separator: string): [before: string, after: string] => {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
};

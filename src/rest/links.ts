import type { Request } from 'express';
import { originOf } from './origin.js';
import type { Values } from './request.js';

const longest = 4096;
const defaults = { page: 1, limit: 10 };

/**
 * The `Link` header of a page (RFC 8288): absolute addresses of the first, previous, next and last page, all other
 * parameters as they came. Undefined where it would pass 4 kB.
 * @param total number of items on all pages; undefined where they were not counted, and then there is no last page.
 */
export const pageLinks = (
  request: Request,
  values: Values,
  count: number,
  total: number | undefined,
  origin: string | undefined,
): string | undefined => {
  const { page, limit } = { ...defaults, ...values } as typeof defaults;
  const last = total === undefined ? undefined : Math.max(1, Math.ceil(total / limit));
  const hasNext = last === undefined ? count === limit : page < last;
  const pages: Record<string, number | undefined> = {
    first: 1,
    prev: page > 1 ? Math.min(page - 1, last ?? page) : undefined,
    next: hasNext ? page + 1 : undefined,
    last,
  };
  const address = addressOf(request, limit, origin);
  if (address.length > longest) return undefined;
  const links = Object.entries(pages)
    .filter(([, number]) => number !== undefined)
    .map(([relation, number]) => `<${address}${number}>; rel="${relation}"`)
    .join(', ');
  return links.length > longest ? undefined : links;
};

/** The address of a page without its number, which comes last. */
const addressOf = (request: Request, limit: number, origin: string | undefined): string => {
  const [path, query] = cut(request.originalUrl, '?');
  const kept = query.split('&').filter((pair) => pair !== '' && !isPaging(pair));
  const parameters = [...kept, `limit=${limit}`, 'page='].join('&');
  return `${origin ?? originOf(request)}${path}?${parameters}`.replace(/[<>"\s]/g, encodeURIComponent);
};

const isPaging = (pair: string) => ['page', 'limit'].includes(decodeURIComponent(cut(pair, '=')[0]));

const cut = (text: string, separator: string): [before: string, after: string] => {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
};

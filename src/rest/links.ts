import type { Values } from './request.js';

/** What of a request its answer depends on: its absolute address, and the arguments that were read from it. */
export interface PageRequest {
  address: () => string;
  values: Values;
}

/** Longest value of the header, in characters. */
const maxLength = 4096;
const defaults = { page: 1, limit: 10 };

/**
 * The `Link` header of a page (RFC 8288): absolute addresses of the first, previous, next and last page, all other
 * parameters as they came. Undefined where it would pass 4 kB.
 * @param total number of items on all pages; undefined where they were not counted, and then there is no last page.
 */
export const pageLinks = (
  { address, values }: PageRequest,
  count: number,
  total: number | undefined,
): string | undefined => {
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

/** The address of a page without its number, which comes last. */
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

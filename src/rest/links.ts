import type { Values } from './request.js';

/** The parts of a request that links to other pages depend on: its absolute address and the arguments read from it. */
export interface PageRequest {
  address: () => string;
  values: Values;
}

/** Maximum length of the `Link` header, in characters. */
const maxLength = 4096;
const defaults = { page: 1, limit: 10 };

/**
 * Returns the `Link` header of a page (RFC 8288): absolute addresses of the first, previous, next and last page, with
 * all other parameters unchanged. Undefined when the header would exceed 4 kB.
 * @param total number of items on all pages; undefined when they were not counted, and then no last page is linked.
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

import { malformed } from '#common/errors.js';

/** The parameters of a query string with their values, in the order of the string. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>;

const none: QueryParameters = new Map();

/**
 * Parses the query string of a request's address. Every spelling of a list counts as its name: `ids=a&ids=b`, `ids[]=a`
 * and `ids[0]=a` are all `ids`. Deeper brackets stay in the name; `readSearchString` reads them.
 * @throws malformed when percent-encoding does not decode to UTF-8.
 */
export const readQueryString = (url: string): QueryParameters => {
  const start = url.indexOf('?');
  if (start < 0 || start === url.length - 1) return none;
  const parameters = new Map<string, string[]>();
  for (const pair of url.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return parameters;
};

/** Turns `ids[]` and `ids[3]` into `ids`. Other names stay unchanged. */
export const listName = (name: string): string => name.replace(/\[\d*\]$/, '');

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed('The query string cannot be decoded: percent-encode it as UTF-8.');
  }
};

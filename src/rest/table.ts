import { addRoute, createRouter, findRoute } from 'rou3';
import { malformed } from '../errors.js';

/** What stands at a path, with the texts that the request gave for the path's parameters. */
interface Match<Entry> {
  entry: Entry;
  params: Record<string, string>;
}

/** Finds what stands at a path; undefined where nothing does. @throws malformed where a parameter does not decode. */
type Find<Entry> = (path: string) => Match<Entry> | undefined;

/**
 * A table of paths whose parameters are written `:name`. Case and slashes count, and a parameter is never empty. Where two
 * paths fit, words win over parameters.
 */
export const createTable = <Entry>(entries: ReadonlyMap<string, Entry>): Find<Entry> => {
  // The router ignores a slash at the end, so the paths with one have a router of their own.
  const [plain, slashed] = [createRouter<Entry>(), createRouter<Entry>()];
  const routerOf = (path: string) => (path.charCodeAt(path.length - 1) === slash ? slashed : plain);
  for (const [path, entry] of entries) addRoute(routerOf(path), anyVerb, path, entry);
  return (path) => {
    if (path.charCodeAt(0) !== slash) return undefined;
    const found = findRoute(routerOf(path), anyVerb, path);
    return found && { entry: found.data, params: decoded(found.params) };
  };
};

/** The router knows verbs; here the entry of a path has them, so that another verb is refused with those allowed. */
const anyVerb = '';

const slash = '/'.charCodeAt(0);

const decoded = (given: Record<string, string> | undefined): Record<string, string> => {
  const params: Record<string, string> = {};
  for (const name in given) params[name] = decode(given[name]!);
  return params;
};

const decode = (text: string): string => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed('The path cannot be decoded: percent-encode it as UTF-8.');
  }
};

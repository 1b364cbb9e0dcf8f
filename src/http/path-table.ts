import { addRoute, createRouter, findRoute } from 'rou3';
import { malformed } from '#common/errors.js';

/** The entry of a path, with the texts of the path's parameters. */
interface Match<Entry> {
  entry: Entry;
  params: Record<string, string>;
}

/**
 * Finds the entry of a path; undefined when the path is unknown.
 * @throws malformed when a parameter does not decode.
 */
type Find<Entry> = (path: string) => Match<Entry> | undefined;

/**
 * Creates a table of paths whose parameters are written `:name`. Paths are case-sensitive, slashes are significant, and
 * a parameter is never empty. When two paths match, literal segments win over parameters.
 */
export const createTable = <Entry>(entries: ReadonlyMap<string, Entry>): Find<Entry> => {
  // The router ignores a slash at the end, so paths that end in a slash have a router of their own.
  const [plain, slashed] = [createRouter<Entry>(), createRouter<Entry>()];
  const routerOf = (path: string) => (path.charCodeAt(path.length - 1) === slash ? slashed : plain);
  for (const [path, entry] of entries) addRoute(routerOf(path), anyVerb, path, entry);
  return (path) => {
    if (path.charCodeAt(0) !== slash) return undefined;
    const found = findRoute(routerOf(path), anyVerb, path);
    return found && { entry: found.data, params: decoded(found.params) };
  };
};

/**
 * The router distinguishes verbs. Here one entry holds all verbs of a path, so that another verb is refused with the
 * list of those allowed.
 */
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

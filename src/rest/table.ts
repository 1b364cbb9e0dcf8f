import { malformed } from '../errors.js';

/** What stands at a path, with the texts that the request gave for the path's parameters. */
interface Found<Place> {
  place: Place;
  params: Record<string, string>;
}

/** Finds what stands at a path; undefined where nothing does. @throws malformed where a parameter does not decode. */
type Find<Place> = (path: string) => Found<Place> | undefined;

/** What may follow a part of a path. */
interface Branch<Place> {
  fixed: Map<string, Branch<Place>>;
  any?: Branch<Place>;
  end?: { place: Place; names: readonly string[] };
}

/**
 * A table of paths whose parameters are written `:name`: one step a segment, however many paths there are. Case and
 * slashes count, and a parameter is never empty. Where two paths fit, words win over parameters.
 */
export const createTable = <Place>(places: ReadonlyMap<string, Place>): Find<Place> => {
  const root: Branch<Place> = { fixed: new Map() };
  for (const [path, place] of places) {
    let branch = root;
    const names: string[] = [];
    for (const segment of segmentsOf(path)) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1));
        branch = branch.any ??= { fixed: new Map() };
      } else {
        const next = branch.fixed.get(segment) ?? { fixed: new Map() };
        branch.fixed.set(segment, next);
        branch = next;
      }
    }
    branch.end = { place, names };
  }
  return (path) => {
    if (path.charCodeAt(0) !== slash) return undefined;
    const given: string[] = [];
    const end = follow(root, segmentsOf(path), 0, given);
    return end && { place: end.place, params: named(end.names, given) };
  };
};

const slash = '/'.charCodeAt(0);

const segmentsOf = (path: string): string[] => path.slice(1).split('/');

/** Walks on from a branch; `given` takes what parameters were given. */
const follow = <Place>(
  branch: Branch<Place>,
  segments: readonly string[],
  index: number,
  given: string[],
): Branch<Place>['end'] => {
  const segment = segments[index];
  if (segment === undefined) return branch.end;
  const next = branch.fixed.get(segment);
  const end = next && follow(next, segments, index + 1, given);
  if (end !== undefined || branch.any === undefined || segment === '') return end;
  given.push(segment);
  const beyond = follow(branch.any, segments, index + 1, given);
  if (beyond === undefined) given.pop();
  return beyond;
};

const named = (names: readonly string[], given: readonly string[]): Record<string, string> => {
  const params: Record<string, string> = {};
  for (let index = 0; index < names.length; index++) params[names[index]!] = decode(given[index]!);
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

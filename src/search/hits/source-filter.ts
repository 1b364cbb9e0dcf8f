import type { PlainJson } from '#json/json.js';
import { handWritten } from '../query/clause.js';
import { parsing } from '../search-failure.js';
import { globOf } from '../syntax/glob.js';
import type { Input } from '../syntax/input.js';
import { kindOf, listOf, type Read, text } from '../syntax/value.js';

/**
 * Parts of a record that an answer shows: none, or those under paths that match an `includes` pattern and no `excludes`
 * pattern.
 */
export type SourceFilter = false | { readonly includes: readonly string[]; readonly excludes: readonly string[] };

/** Parses `includes` or `_source`: a boolean, a pattern, several, or an object of `includes` and `excludes`. */
export const parseSourceFilter = (input: Input): SourceFilter => {
  const { node } = input;
  if (node.kind === 'literal' && node.value !== null) return node.value ? everything : false;
  if (node.kind === 'string' || node.kind === 'array') return { includes: listOf(text)(input), excludes: [] };
  if (node.kind !== 'object') {
    throw parsing(
      `Expected one of [VALUE_BOOLEAN, VALUE_STRING, START_ARRAY, START_OBJECT] but found [${kindOf(input)}]`,
      input,
    );
  }
  const parsed = handWritten('_source', { includes: many, include: many, excludes: many, exclude: many })(input);
  return {
    includes: [...(parsed.includes ?? []), ...(parsed.include ?? [])],
    excludes: [...(parsed.excludes ?? []), ...(parsed.exclude ?? [])],
  };
};

/** Parses a list of texts, or a single one. */
const many: Read<string[]> = (input) =>
  input.items().map((item) => {
    if (item.node.kind !== 'string') throw parsing(`Unknown key for a ${kindOf(item)} in [${input.key}].`, item);
    return item.node.text;
  });

const everything: SourceFilter = { includes: [], excludes: [] };

type Source = { [key: string]: PlainJson };

/** Creates the function that filters a record's source. */
export const sourceFilter = (filter: SourceFilter): ((source: Source) => Source | undefined) => {
  if (filter === false) return () => undefined;
  if (filter.includes.length === 0 && filter.excludes.length === 0) return (source) => source;
  const included = filter.includes.map(pathPattern);
  const excluded = filter.excludes.map(pathPattern);
  const keep = remembering((path) => included.length === 0 || included.some(({ covers }) => covers(path)));
  const within = remembering((path) => included.some(({ reaches }) => reaches(path)));
  const drop = remembering((path) => excluded.some(({ covers }) => covers(path)));

  const inside = (value: PlainJson, path: string, isIncluded: boolean): PlainJson | undefined => {
    if (drop(path)) return undefined;
    const whole = isIncluded || keep(path);
    if (Array.isArray(value)) {
      const items = value.map((item) => inside(item, path, whole)).filter((item) => item !== undefined);
      return whole || items.length > 0 ? items : undefined;
    }
    if (value === null || typeof value !== 'object') return whole ? value : undefined;
    if (!whole && !within(path)) return undefined;
    const object = ofObject(value, `${path}.`, whole);
    return whole || Object.keys(object).length > 0 ? object : undefined;
  };
  const ofObject = (source: Source, prefix: string, isIncluded: boolean): Source => {
    const entries = Object.entries(source).map(
      ([key, value]) => [key, inside(value, `${prefix}${key}`, isIncluded)] as const,
    );
    return Object.fromEntries(entries.filter((entry): entry is [string, PlainJson] => entry[1] !== undefined));
  };
  return (source) => ofObject(source, '', false);
};

/** Maximum number of paths whose decision is cached. */
const maxRemembered = 10_000;

/**
 * Caches decisions by path. Records of one product have the same paths, so each path is matched against the patterns
 * once for all records of an answer.
 */
const remembering = (decide: (path: string) => boolean): ((path: string) => boolean) => {
  const decided = new Map<string, boolean>();
  return (path) => {
    const answer = decided.get(path) ?? decide(path);
    if (decided.size < maxRemembered) decided.set(path, answer);
    return answer;
  };
};

/**
 * Compiles a pattern. `covers` matches its paths, and all paths below them. `reaches` matches objects that may contain
 * such a path.
 */
const pathPattern = (pattern: string) => {
  const [itself, under] = [globOf(pattern), globOf(`${pattern}.*`)];
  const star = pattern.split('.').findIndex((step) => step.includes('*'));
  return {
    covers: (path: string) => itself(path) || under(path),
    reaches: (path: string) =>
      (star >= 0 && star < path.split('.').length) || pattern === path || pattern.startsWith(`${path}.`),
  };
};

import { globOf } from '#search/syntax/glob.js';
import { badArgument } from './error.js';

/** Maximum numbers of paths in one `filter_path`, of names in all of them, and of characters in all of them. */
const [maxPaths, maxNames, maxCharacters] = [100, 400, 8192];
/**
 * Maximum number of steps that one response caches, since names repeat from record to record. Further steps are
 * computed again.
 */
const maxKnown = 10_000;
/** Number of values that are filtered between two checks of the time slice. */
const valuesAStep = 64;

type Matcher = '**' | ((name: string) => boolean);

/** Result of following a name: the positions after it, and whether a path ends there. */
interface Step {
  readonly to: Positions;
  readonly isEnd: boolean;
}

/** The positions in all paths that the names so far lead to. `next` moves on by one name. */
interface Positions {
  readonly isEmpty: boolean;
  next(name: string): Step;
}

/** Filters a response in steps, so that the work can run in time slices. */
export type Filter = (value: unknown) => Generator<undefined, unknown>;

/**
 * Parses `filter_path`, which limits a response to the fields it names. Its paths are dotted; `*` stands for any part
 * of a name and `**` for any number of names. Paths that begin with `-` are excluded instead. Arrays do not count as a
 * level.
 * @throws EngineFailure 400 for too many paths or names
 */
export const readFilterPath = (texts: readonly string[]): Filter | undefined => {
  if (texts.reduce((length, text) => length + text.length, 0) > maxCharacters)
    throw tooLarge(maxCharacters, 'characters');
  const paths = texts.flatMap((text) => text.split(',')).filter((path) => path !== '');
  if (paths.length === 0) return undefined;
  if (paths.length > maxPaths) throw tooLarge(maxPaths, 'paths');
  const excluded = paths.filter((path) => path.startsWith('-')).map((path) => namesOf(path.slice(1)));
  const included = paths.filter((path) => !path.startsWith('-')).map(namesOf);
  const names = [...excluded, ...included].reduce((count, path) => count + path.length, 0);
  if (names > maxNames) throw tooLarge(maxNames, 'names');
  return function* filter(value) {
    const walk = new Walk();
    const kept = included.length === 0 ? value : ((yield* walk.include(value, start(included))) ?? {});
    return excluded.length === 0 ? kept : yield* walk.exclude(kept, start(excluded));
  };
};

const tooLarge = (most: number, what: string) => badArgument(`[filter_path] has at most [${most}] ${what}`);

/** Splits a path into names. `**` next to `**` means the same as one. */
const namesOf = (path: string): Matcher[] =>
  path
    .split('.')
    .filter((name, index, names) => name !== '**' || names[index - 1] !== '**')
    .map((name) => (name === '**' ? name : globOf(name)));

/** Returns the positions before all of the paths. Each set of positions caches the steps from it. */
const start = (paths: readonly (readonly Matcher[])[]): Positions => {
  const matchers = paths.flatMap((path) => path.map((matcher, at) => ({ matcher, isLast: at === path.length - 1 })));
  const made = new Map<string, Positions>();
  let known = 0;
  const positionsOf = (at: ReadonlySet<number>): Positions => {
    const places = [...at].sort((a, b) => a - b);
    const key = places.join();
    const before = made.get(key);
    if (before !== undefined) return before;
    const steps = new Map<string, Step>();
    const next = (name: string): Step => {
      const taken = steps.get(name);
      if (taken !== undefined) return taken;
      const step = stepFrom(places, name);
      known += 1;
      if (known <= maxKnown) steps.set(name, step);
      return step;
    };
    const positions = { isEmpty: places.length === 0, next };
    if (known <= maxKnown) made.set(key, positions);
    return positions;
  };
  const stepFrom = (places: readonly number[], name: string): Step => {
    const to = new Set<number>();
    let isEnd = false;
    for (const place of places) {
      // `**` may stand for no name, so the matcher after it is tried as well.
      for (let at = place; ; at += 1) {
        const { matcher, isLast } = matchers[at]!;
        const isAny = matcher === '**';
        if (isAny) to.add(at);
        if (isAny ? isLast : matcher(name)) {
          if (isLast) isEnd = true;
          else if (!isAny) to.add(at + 1);
        }
        if (!isAny || isLast) break;
      }
    }
    return { to: positionsOf(to), isEnd };
  };
  const first = new Set<number>();
  let offset = 0;
  for (const path of paths) {
    first.add(offset);
    offset += path.length;
  }
  return positionsOf(first);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One traversal of a response. */
class Walk {
  private values = 0;

  *include(value: unknown, positions: Positions): Generator<undefined, unknown> {
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) {
        const kept = yield* this.include(item, positions);
        if (kept !== undefined) items.push(kept);
      }
      return items.length === 0 ? undefined : items;
    }
    if (!isObject(value)) return undefined;
    const entries: [string, unknown][] = [];
    for (const [name, inner] of Object.entries(value)) {
      if (this.isStep()) yield;
      const { to, isEnd } = positions.next(name);
      const kept = isEnd ? inner : to.isEmpty ? undefined : yield* this.include(inner, to);
      if (kept !== undefined) entries.push([name, kept]);
    }
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }

  *exclude(value: unknown, positions: Positions): Generator<undefined, unknown> {
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(yield* this.exclude(item, positions));
      return items;
    }
    if (!isObject(value)) return value;
    const entries: [string, unknown][] = [];
    for (const [name, inner] of Object.entries(value)) {
      if (this.isStep()) yield;
      const { to, isEnd } = positions.next(name);
      if (!isEnd) entries.push([name, to.isEmpty ? inner : yield* this.exclude(inner, to)]);
    }
    return Object.fromEntries(entries);
  }

  private isStep(): boolean {
    this.values += 1;
    return this.values % valuesAStep === 0;
  }
}

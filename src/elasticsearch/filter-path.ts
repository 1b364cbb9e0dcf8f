import { globOf } from '../search/syntax/glob.js';
import { badArgument } from './error.js';

/** Paths of one `filter_path`; names of all of them; characters of all of them. */
const [maxPaths, maxNames, maxCharacters] = [100, 400, 8192];
/** Maximum number of steps that one answer remembers, since names repeat from record to record. Others are computed again. */
const maxKnown = 10_000;
/** Values that are filtered between two looks at the clock. */
const valuesAStep = 64;

type Matcher = '**' | ((name: string) => boolean);

/** A step from a name: the positions after it, and whether a path ends there. */
interface Step {
  readonly to: Positions;
  readonly isEnd: boolean;
}

/** A set of positions within paths: `next` says what a name leads to. */
interface Positions {
  readonly isEmpty: boolean;
  next(name: string): Step;
}

/** Filters an answer step by step, so that it can be done in slices of time. */
export type Filter = (value: unknown) => Generator<undefined, unknown>;

/**
 * Reads `filter_path`, by which an answer keeps only what it names: dotted paths, where `*` stands for any part of a name and
 * `**` for any number of names; those that begin with `-` are taken out instead. Arrays are passed through.
 * @throws EngineFailure 400 where there are too many paths or names
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

/** The names of a path; `**` beside `**` says the same as one. */
const namesOf = (path: string): Matcher[] =>
  path
    .split('.')
    .filter((name, index, names) => name !== '**' || names[index - 1] !== '**')
    .map((name) => (name === '**' ? name : globOf(name)));

/** The positions before all of the paths. A set of positions knows where names led before. */
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
      // Any number of names may be none: what follows is tried as well.
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

/** One pass over an answer. */
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

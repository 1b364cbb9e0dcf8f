import { globOf } from '../search/syntax/glob.js';

/**
 * Leaves of an answer only what `filter_path` names: dotted paths, where `*` stands for any part of a name and `**` for
 * any number of names; those that begin with `-` are taken out instead. Arrays are passed through.
 * @param paths the comma-separated items of the parameter.
 */
export const filterPath = (value: unknown, paths: readonly string[]): unknown => {
  const split = (path: string): Path => ({ parts: path.split('.').map(matcherOf), at: 0 });
  const excluded = paths.filter((path) => path.startsWith('-')).map((path) => split(path.slice(1)));
  const included = paths.filter((path) => !path.startsWith('-')).map(split);
  const kept = included.length === 0 ? value : (include(value, included) ?? {});
  return excluded.length === 0 ? kept : exclude(kept, excluded);
};

type Matcher = '**' | ((name: string) => boolean);

/** What is left of a path: its parts from one on. */
interface Path {
  readonly parts: readonly Matcher[];
  readonly at: number;
}

const matcherOf = (part: string): Matcher => (part === '**' ? part : globOf(part));

/** What is left of paths below a name, each once; `done` where one of them ends there. */
const below = (paths: readonly Path[], name: string): { paths: Path[]; done: boolean } => {
  const rest: Path[] = [];
  let done = false;
  const add = (path: Path) => {
    if (!rest.some(({ parts, at }) => parts === path.parts && at === path.at)) rest.push(path);
  };
  for (const { parts, at: start } of paths) {
    // Any number of names may be none: what follows is tried as well.
    for (let at = start; at < parts.length; at += 1) {
      const part = parts[at]!;
      const isAny = part === '**';
      if (isAny) add({ parts, at });
      if (isAny ? at === parts.length - 1 : part(name)) {
        if (at === parts.length - 1) done = true;
        else if (!isAny) add({ parts, at: at + 1 });
      }
      if (!isAny) break;
    }
  }
  return { paths: rest, done };
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const include = (value: unknown, paths: readonly Path[]): unknown => {
  if (Array.isArray(value)) {
    const items = value.map((item) => include(item, paths)).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const { paths: rest, done } = below(paths, name);
    const kept = done ? inner : rest.length === 0 ? undefined : include(inner, rest);
    return kept === undefined ? [] : [[name, kept]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};

const exclude = (value: unknown, paths: readonly Path[]): unknown => {
  if (Array.isArray(value)) return value.map((item) => exclude(item, paths));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      const { paths: rest, done } = below(paths, name);
      if (done) return [];
      return [[name, rest.length === 0 ? inner : exclude(inner, rest)]];
    }),
  );
};

/**
 * Leaves of an answer only what `filter_path` names: dotted paths, where `*` stands for any part of a name and `**` for
 * any number of names; those that begin with `-` are taken out instead. Arrays are passed through.
 * @param paths the comma-separated items of the parameter.
 */
export const filterPath = (value: unknown, paths: readonly string[]): unknown => {
  const split = (path: string) => path.split('.').map(matcherOf);
  const excluded = paths.filter((path) => path.startsWith('-')).map((path) => split(path.slice(1)));
  const included = paths.filter((path) => !path.startsWith('-')).map(split);
  const kept = included.length === 0 ? value : (include(value, included) ?? {});
  return excluded.length === 0 ? kept : exclude(kept, excluded);
};

type Matcher = '**' | ((name: string) => boolean);
type Path = readonly Matcher[];

const matcherOf = (part: string): Matcher => {
  if (part === '**') return part;
  const pieces = part.split('*').map((piece) => piece.replaceAll(/[\\^$.+?()[\]{}|]/g, String.raw`\$&`));
  const pattern = new RegExp(`^${pieces.join('[^]*?')}$`);
  return (name) => pattern.test(name);
};

/** What is left of paths below a name; `done` where one of them ends there. */
const below = (paths: readonly Path[], name: string): { paths: Path[]; done: boolean } => {
  const rest: Path[] = [];
  let done = false;
  for (const path of paths) {
    const [first, ...others] = path;
    if (first === undefined) continue;
    if (first === '**') {
      rest.push(path);
      const skipped = below([others], name);
      rest.push(...skipped.paths);
      done ||= skipped.done || others.length === 0;
    } else if (first(name)) {
      if (others.length === 0) done = true;
      else rest.push(others);
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

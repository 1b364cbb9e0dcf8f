import type { Dice } from './dice.js';
import type { Plain } from './plain.js';

type Path = readonly (string | number)[];

/** Makes a query invalid in one place: a key misspelt, added or removed, or a value of another type. */
export const mutated = (dice: Dice, body: Plain): Plain => {
  const copy = structuredClone(body);
  const paths = pathsOf(copy);
  if (paths.length === 0) return { ...copy, [dice.pick('qery', 'sizes', 'agg')]: {} };
  const path = dice.pick(...paths);
  const key = path.at(-1)!;
  const parent = path.slice(0, -1).reduce<unknown>((at, step) => (at as Plain)[step], copy) as Plain;
  const value = parent[key];
  dice.pick<() => void>(
    () => void (parent[key] = other(dice)),
    () => void (parent[key] = other(dice)),
    () => {
      if (typeof key !== 'string' || Array.isArray(parent)) parent[key] = [value];
      else rename(parent, key, misspelt(dice, key));
    },
    () => {
      if (Array.isArray(parent)) parent.push(other(dice));
      else
        parent[dice.pick('boost', 'format', 'field', 'size', 'unknown', 'value', 'query', 'order', 'aggs', 'missing')] =
          other(dice);
    },
    () => {
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete parent[key];
    },
  )();
  return copy;
};

const other = (dice: Dice): unknown =>
  dice.pick<unknown>(
    'abc',
    '',
    -1,
    0,
    1.5,
    1e20,
    true,
    null,
    [],
    {},
    ['abc'],
    [1, 2],
    { abc: 1 },
    '1',
    'data.n',
    [null],
    { field: 'data.t' },
    '2026-03-29',
    3_000_000_000,
  );

const misspelt = (dice: Dice, key: string): string => {
  const at = dice.below(key.length);
  return dice.pick(
    `${key}s`,
    `${key.slice(0, at)}${key.slice(at + 1)}`,
    `${key.slice(0, at)}${key[at]}${key.slice(at)}`,
    key.toUpperCase(),
  );
};

const rename = (parent: Plain, key: string, name: string): void => {
  const entries = Object.entries(parent).map(([own, value]) => [own === key ? name : own, value]);
  for (const own of Object.keys(parent)) delete parent[own];
  Object.assign(parent, Object.fromEntries(entries));
};

const pathsOf = (value: unknown, path: Path = []): Path[] => {
  const own = path.length === 0 ? [] : [path];
  if (value === null || typeof value !== 'object') return own;
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, inner]) =>
      pathsOf(inner, [...path, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
};

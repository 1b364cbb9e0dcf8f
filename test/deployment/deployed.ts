import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Reads a file of the checkout. */
export const read = (path: string): Promise<string> => readFile(resolve(path), 'utf8');

/** Reads the names of all settings from their reference page. */
const settings = async (): Promise<Set<string>> => {
  const rows = (await read('docs/settings.md')).matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm);
  return new Set([...rows].flatMap(([, names = '']) => names.replaceAll('`', '').split(', ')));
};

/** Returns the names that are not settings. */
export const unknownSettings = async (names: readonly string[]): Promise<string[]> => {
  const known = await settings();
  return names.filter((name) => !known.has(name));
};

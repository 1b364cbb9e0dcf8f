import { unknownName } from '../failure.js';
import type { Entry } from './input.js';
import { suggestion } from './suggest.js';

/**
 * The parser of a name, from a table of all names.
 * @param sentence what an unknown name is called, e.g. `unknown query [terrm]`; what was meant is appended.
 */
export const lookUp = <T>(table: Readonly<Record<string, T>>, { key, input }: Entry, sentence: string): T => {
  const found = Object.hasOwn(table, key) ? table[key] : undefined;
  if (found === undefined) throw unknownName(`${sentence}${suggestion(key, Object.keys(table))}`, key, input);
  return found;
};

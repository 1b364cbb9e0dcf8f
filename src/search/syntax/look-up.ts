import { unknownName } from '../search-failure.js';
import type { Entry } from './input.js';
import { suggestion } from './suggest.js';

/**
 * Looks up the parser of a name in a table.
 * @param sentence beginning of the error for an unknown name, such as `unknown query [terrm]`; a suggestion is appended
 */
export const lookUp = <T>(table: Readonly<Record<string, T>>, { key, input }: Entry, sentence: string): T => {
  const found = Object.hasOwn(table, key) ? table[key] : undefined;
  if (found === undefined) throw unknownName(`${sentence}${suggestion(key, Object.keys(table))}`, key, input);
  return found;
};
